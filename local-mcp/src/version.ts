/** The bridge's version: that of what ships. */
import manifest from "../package.json" with { type: "json" };

export const VERSION: string = manifest.version;
