import type { Action } from "@toolkeep/core";
import { type EntryPattern, linePattern } from "@toolkeep/core/internal";
import { GEMINI_TOOLS } from "./gemini-names.ts";

/** The standard tools with a counterpart in Gemini CLI. */
export const OUR_TOOLS: readonly string[] = [...new Set(Object.values(GEMINI_TOOLS))];

export interface GeminiEntry {
  /** The standard tool; missing if there is none. */
  readonly tool?: string;
  /** The name in Gemini CLI. */
  readonly name: string;
  readonly specifier?: string;
}

export const ONLY_PLAIN =
  "it matches whole words, and options only if they are known to be harmless; it does not match command lines that are not plain, redirections, commits, pushes or publishing";

/** Reads `name` or `name(prefix)`. */
export function geminiEntry(text: string): GeminiEntry {
  const [, name = text, specifier] = /^([\w.-]+)(?:\((.*)\))?$/s.exec(text.trim()) ?? [];
  const tool = Object.hasOwn(GEMINI_TOOLS, name) ? GEMINI_TOOLS[name] : undefined;
  return { name, ...(tool === undefined ? {} : { tool }), ...(specifier === undefined ? {} : { specifier }) };
}

/** The patterns for commands that begin with a text. In Gemini CLI it may end within a word; an allow rule needs whole words. */
export function prefixPatterns(prefix: string, action: Action): readonly EntryPattern[] {
  const text = prefix.trim();
  if (text === "") return [action === "allow" ? { dropped: "it names no command" } : {}];
  const whole = linePattern(`${text.replaceAll("*", "?")} *`, action);
  if (action === "allow")
    return [
      text.includes("*") ? { dropped: "it contains a `*`, which is not a wildcard in Gemini CLI" } : whole,
    ];
  return [whole, linePattern(`${text.replaceAll("*", "?")}*`, action)];
}

/** `mcp_server_tool` is split at the first underscore after `mcp_`. */
export function mcpAddress(name: string): string | undefined {
  const [, server, tool] = /^mcp_([^_]+)_(.+)$/.exec(name) ?? [];
  if (server !== undefined && tool !== undefined) return `mcp:${server}:${tool}`;
  return name === "mcp_*" ? "mcp:*" : undefined;
}
