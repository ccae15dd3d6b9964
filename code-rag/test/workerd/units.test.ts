import { unitConformance } from "../../src/engine/units/conformance.ts";
import { createWorkerdPort } from "./workerd-port.ts";

unitConformance(createWorkerdPort);
