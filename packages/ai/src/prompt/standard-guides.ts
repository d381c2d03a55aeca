import type { Kit, ToolGuide } from "@toolkeep/core/ports";
import compiled from "./compiled-guides.json" with { type: "json" };

/** One guide for each manager tool that needs one: how it is used well. */
export const STANDARD_GUIDES: readonly ToolGuide[] = Object.freeze(compiled.guides);

/**
 * The four workflows that agents are given for work on code: `tdd_workflow`, `debug_cycle`, `project_setup` and
 * `code_quality`. Each step names the tool for exactly this work first, and then the standard tool that can do it too.
 */
export const STANDARD_KITS: readonly Kit[] = Object.freeze(compiled.kits);
