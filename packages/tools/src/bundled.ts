import type { RegisterOptions } from "@toolkeep/core/internal";

/** How the tools that come along are registered. */
export const BUNDLED: RegisterOptions = { origin: { layer: "bundled", source: "bundled" } };
