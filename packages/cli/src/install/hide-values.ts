import { applyEdits, type Edit, type Node, parseTree } from "jsonc-parser";
import { decidesWhatRuns } from "../gateway/code-loading-names.ts";
import { hiddenValue } from "../gateway/hidden-value.ts";

/**
 * Where clients write what servers and hooks are given: tokens, mostly. By position, `*` for any name and `#` for any
 * place in a list: a server may be called `env`, and what it runs must be read all the same.
 */
const VALUES: readonly (readonly string[])[] = [
  ["env"],
  ...["mcpServers", "servers"].flatMap((key) =>
    ["env", "headers", "requestInit", "auth", "oauth"].map((name) => [key, "*", name]),
  ),
  ...["env", "headers"].flatMap((name) => [
    ["hooks", "*", "#", name],
    ["hooks", "*", "#", "hooks", "#", name],
  ]),
];

/** How a server is started or reached, wherever it stands. */
const SHOWN: ReadonlySet<string> = new Set(["command", "args", "cwd", "url", "httpUrl", "serverUrl"]);

/** The same text without the values of environments and headers, whose names stay. For showing. */
export function hideValues(text: string): string {
  const root = parseTree(text, [], { allowTrailingComma: true });
  return root === undefined ? text : applyEdits(text, [...edits(root, [])]);
}

/** Deeper than any of them, nothing is looked for: the text is a stranger's, and may nest without end. */
const DEEPEST = Math.max(...VALUES.map(({ length }) => length));

function* edits(node: Node, path: readonly string[]): Generator<Edit> {
  if (path.length > DEEPEST) return;
  if (VALUES.some((place) => isAt(place, path))) yield* hidden(node, "");
  else if (node.type === "array") {
    for (const child of node.children ?? []) yield* edits(child, [...path, "#"]);
  } else {
    for (const { children: [name, value] = [] } of node.children ?? [])
      if (value !== undefined) yield* edits(value, [...path, String(name?.value)]);
  }
}

function isAt(place: readonly string[], path: readonly string[]): boolean {
  return place.length === path.length && place.every((name, at) => name === "*" || name === path[at]);
}

function* hidden(node: Node, of: string): Generator<Edit> {
  const { type, children = [], offset, length, value } = node;
  if (type === "property") {
    const [, inner] = children;
    const name = String(children[0]?.value);
    if (inner !== undefined && !SHOWN.has(name) && !decidesWhatRuns(name)) yield* hidden(inner, name);
  } else if (type === "string")
    yield { offset, length, content: JSON.stringify(hiddenValue(String(value), of)) };
  else for (const child of children) yield* hidden(child, of);
}
