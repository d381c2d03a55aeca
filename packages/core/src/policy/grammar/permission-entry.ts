import type { Action, Rule } from "../../contract/policy/rule.ts";
import { commandPattern, type EntryPattern, pathPattern } from "./entry-pattern.ts";
import { KNOWN_TOOLS, type KnownTool } from "./known-tools.ts";

/** A permission in the spelling of Claude Code: `Tool`, `Tool(specifier)` or `mcp__server__tool`. */
export interface PermissionEntry {
  readonly tool: string;
  readonly specifier?: string;
  /** Position after its last character. */
  readonly end: number;
}

/** What an entry means here: which tools, which capabilities, and which targets. */
export type EntryMeaning =
  | {
      /** Tools here, or the address of an MCP tool. */
      readonly tools: readonly string[];
      /** What these tools do, if rules can name that instead. */
      readonly capabilities: readonly string[];
      readonly pattern?: string;
      /** Why it is stricter here. */
      readonly note?: string;
      /** It covers more than the entry, which has no exact equivalent here. */
      readonly isWidened?: true;
    }
  | { readonly dropped: string };

const START = /(?:mcp__[\w*-]+|[A-Z][A-Za-z]*)(?=[\s(]|$)/y;

/**
 * Reads the entry at `from`, if there is one. A name without brackets is an entry only if it is a known name, since
 * the host application may call its own tools anything. Brackets that do not close make no entry.
 */
export function entryAt(text: string, from: number): PermissionEntry | undefined {
  START.lastIndex = from;
  const tool = START.exec(text)?.[0];
  if (tool === undefined) return undefined;
  const open = from + tool.length;
  const isKnown = tool.startsWith("mcp__") || Object.hasOwn(KNOWN_TOOLS, tool);
  if (text[open] !== "(") return isKnown ? { tool, end: open } : undefined;
  const close = closingBracket(text, open);
  return close === undefined ? undefined : { tool, specifier: text.slice(open + 1, close), end: close + 1 };
}

function closingBracket(text: string, open: number): number | undefined {
  let depth = 0;
  for (let index = open; index < text.length; index += 1) {
    if (text[index] === "(") depth += 1;
    if (text[index] === ")") depth -= 1;
    if (depth === 0) return index;
  }
  return undefined;
}

export function meaningOf(entry: PermissionEntry, action: Action, home: string | undefined): EntryMeaning {
  if (entry.tool.startsWith("mcp__")) return serverMeaning(entry, action);
  const known = Object.hasOwn(KNOWN_TOOLS, entry.tool) ? KNOWN_TOOLS[entry.tool] : undefined;
  if (known === undefined) return { dropped: "there is no such tool here" };
  const { tools, capabilities = [], specifier } = known;
  // Only the tool itself: other tools that write have entries of their own.
  if (entry.specifier === undefined && entry.tool === "Write") return { tools, capabilities: [] };
  if (entry.specifier === undefined) return { tools, capabilities };
  if (specifier === undefined) return wholeTool(known, action);
  const read = specifierPattern(specifier, entry.specifier, action, home);
  return "dropped" in read ? read : { tools, capabilities, ...read };
}

/** Its specifier has no equivalent here: an allow is dropped, an ask or a deny applies to the whole tool. */
function wholeTool({ tools, capabilities = [] }: KnownTool, action: Action): EntryMeaning {
  if (action === "allow") return { dropped: "the text in its brackets has no equivalent here" };
  return {
    tools,
    capabilities,
    note: "the text in its brackets has no equivalent here, so it covers the whole tool",
    isWidened: true,
  };
}

function specifierPattern(
  kind: "command" | "path" | "host",
  specifier: string,
  action: Action,
  home: string | undefined,
): EntryPattern {
  if (kind === "command") return commandPattern(specifier, action);
  if (kind === "path") return pathPattern(specifier, action, home);
  const host = /^domain:\s*((?:\*\.)?[\w.-]+|\*)$/.exec(specifier)?.[1];
  if (host !== undefined) return { pattern: host.toLowerCase() };
  if (action === "allow") return { dropped: "a host is written as domain:HOST" };
  return { note: "a host is written as domain:HOST, so it covers every host", isWidened: true };
}

function serverMeaning({ tool, specifier }: PermissionEntry, action: Action): EntryMeaning {
  const tools = addressesOf(tool.slice("mcp__".length));
  if (action !== "allow") {
    const whole = { tools, capabilities: [] };
    if (specifier === undefined) return whole;
    return { ...whole, note: "the text in its brackets has no equivalent here", isWidened: true };
  }
  if (specifier !== undefined) return { dropped: "the text in its brackets has no equivalent here" };
  if (tools.length > 1) return { dropped: "it is not clear where the name of the server ends" };
  if (/^mcp:[^:]*\*/.test(tools[0] ?? "")) return { dropped: "it would allow the tools of any server" };
  return { tools, capabilities: [] };
}

/** Names may contain `__` themselves, so a name can have several readings. */
function addressesOf(name: string): readonly string[] {
  const parts = name.split("__");
  if (parts.length === 1) return [`mcp:${name}:*`];
  return parts.slice(1).map((_, index) => {
    const tool = parts.slice(index + 1).join("__");
    return `mcp:${parts.slice(0, index + 1).join("__")}:${tool === "" ? "*" : tool}`;
  });
}

/** The rules for an entry: on the capabilities, whichever tool uses them. */
export function rulesOfEntry(
  meaning: Exclude<EntryMeaning, { dropped: string }>,
  action: Action,
): readonly Rule[] {
  const { tools, capabilities, pattern } = meaning;
  const done = action === "allow" ? capabilities.filter((one) => one !== "fs.delete") : capabilities;
  const permissions = done.length > 0 ? done : tools;
  return permissions.map((permission) => ({
    permission,
    ...(pattern === undefined ? {} : { pattern }),
    action,
  }));
}
