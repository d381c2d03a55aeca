import { applyEdits, type Edit, type Node, parseTree } from "jsonc-parser";
import { hiddenValue } from "../terminal/hidden-value.ts";
import { decidesWhatRuns } from "../tools/servers/code-loading-names.ts";

/**
 * Where client files contain the environment and headers of servers and hooks, which may be secret. `*` stands for any
 * name and `#` for any position in a list. The paths are whole, because a server itself may have the name `env`.
 */
const VALUES: readonly (readonly string[])[] = [
  ["env"],
  ...[["mcpServers"], ["servers"], ["projects", "*", "mcpServers"]].flatMap((key) =>
    ["env", "headers", "requestInit", "auth", "oauth"].map((name) => [...key, "*", name]),
  ),
  ...["env", "headers"].flatMap((name) => [
    ["hooks", "*", "#", name],
    ["hooks", "*", "#", "hooks", "#", name],
  ]),
];

/** Keys that say how a server is started or reached. They are always shown. */
const SHOWN: ReadonlySet<string> = new Set(["command", "args", "cwd", "url", "httpUrl", "serverUrl"]);

/** Replaces the values of environments and headers in a text, and keeps their names. */
export function hideValues(text: string): string {
  const root = parseTree(text, [], { allowTrailingComma: true });
  return root === undefined ? text : applyEdits(text, [...edits(root, [])]);
}

/** The text is untrusted and may nest without end, so the search ends below the longest path. */
const DEEPEST = Math.max(...VALUES.map(({ length }) => length));

function* edits(node: Node, path: readonly string[]): Generator<Edit> {
  if (path.length > DEEPEST) return;
  if (VALUES.some((pattern) => isAt(pattern, path))) yield* hidden(node, "");
  else if (node.type === "array") {
    for (const child of node.children ?? []) yield* edits(child, [...path, "#"]);
  } else {
    for (const { children: [name, value] = [] } of node.children ?? [])
      if (value !== undefined) yield* edits(value, [...path, String(name?.value)]);
  }
}

function isAt(pattern: readonly string[], path: readonly string[]): boolean {
  return pattern.length === path.length && pattern.every((name, at) => name === "*" || name === path[at]);
}

function* hidden(node: Node, key: string): Generator<Edit> {
  const { type, children = [], offset, length, value } = node;
  if (type === "property") {
    const [, inner] = children;
    const name = String(children[0]?.value);
    if (inner !== undefined && !SHOWN.has(name) && !decidesWhatRuns(name)) yield* hidden(inner, name);
  } else if (type === "string")
    yield { offset, length, content: JSON.stringify(hiddenValue(String(value), key)) };
  else for (const child of children) yield* hidden(child, key);
}
