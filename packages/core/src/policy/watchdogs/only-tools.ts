import type { Watchdog } from "../../contract/policy/decision.ts";
import type { PolicyTool } from "../../contract/policy/policy-call.ts";
import { invalidOption } from "../../contract/values/error.ts";
import { compileGlob, type TargetPattern } from "../patterns/compile-glob.ts";
import { mcpAddress } from "../rules/called-action.ts";
import { watchdog } from "./verdict.ts";

/** An agent's own lists. An entry is a tool's name, a pattern of names, or `mcp:server:tool`. */
export interface ToolLists {
  /** Nothing else may be used; where it is left out, everything may. */
  readonly include?: readonly string[];
  /** Counts more than what is included. */
  readonly exclude?: readonly string[];
}

/** Holds an agent to its own lists of tools. @throws ToolkeepError `invalid_option` for an entry that names nothing. */
export function onlyTools({ include, exclude = [] }: ToolLists): Watchdog {
  const included = include?.map(compileEntry);
  const excluded = exclude.map(compileEntry);
  return watchdog("only-tools", "deny", ({ found }) => {
    const names = namesOf(found);
    if (excluded.some((entry) => isNamed(entry, names))) return `${found.name} is excluded for this agent.`;
    if (included === undefined || included.some((entry) => isNamed(entry, names))) return undefined;
    return `${found.name} is not among the tools of this agent.`;
  });
}

function compileEntry(entry: string): TargetPattern {
  if (typeof entry !== "string" || entry.trim() === "") {
    throw invalidOption(`${JSON.stringify(entry)} names no tool.`);
  }
  return compileGlob(entry);
}

function isNamed(entry: TargetPattern, names: readonly string[]): boolean {
  return names.some((name) => entry.matches(name, "text"));
}

/** A remote tool is also known by its address. */
function namesOf(found: PolicyTool): readonly string[] {
  const address = mcpAddress(found);
  return address === undefined ? [found.name] : [found.name, address];
}
