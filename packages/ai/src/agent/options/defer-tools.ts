import { assertKnownKeys, invalidOption } from "@toolkeep/core/internal";

/** When a model gets definitions of some tools only, and finds the others with `tool_search`. */
export interface DeferTools {
  /** The most bytes of definitions in a step. Default: 15,000. `Infinity`: every tool is always shown. */
  readonly above?: number;
  /** Tools that are always shown, by name, in addition to the built-in ones. */
  readonly always?: readonly string[];
}

const ABOVE = 15_000;

/** With the defaults. @throws ToolkeepError `invalid_option`. */
export function readDeferTools(given: DeferTools = {}): Required<DeferTools> {
  assertKnownKeys(given, ["above", "always"], "option of `deferTools`:");
  const { above = ABOVE, always = [] } = given;
  if (!(above >= 0)) throw invalidOption("The option `deferTools.above` must be a number of bytes.");
  if (!Array.isArray(always)) throw invalidOption("The option `deferTools.always` must be a list of names.");
  return { above, always };
}
