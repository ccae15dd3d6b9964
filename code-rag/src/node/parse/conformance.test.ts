import { unitConformance } from "../../engine/units/conformance.ts";
import { createNodePort } from "./node-port.ts";

unitConformance(createNodePort);
