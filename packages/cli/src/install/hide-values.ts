import { applyEdits, type Edit, type Node, parseTree } from "jsonc-parser";

/** Where clients write what servers and hooks are given: tokens, mostly. */
const HIDING: ReadonlySet<unknown> = new Set(["env", "headers", "requestinit", "auth", "oauth"]);

/** The same text without the values of environments and headers, whose names stay. For showing. */
export function hideValues(text: string): string {
  const root = parseTree(text, [], { allowTrailingComma: true });
  return root === undefined ? text : applyEdits(text, [...hidden(root, false)]);
}

function* hidden(node: Node, isWithin: boolean): Generator<Edit> {
  const { type, children = [], offset, length } = node;
  if (type === "property") {
    const [name, value] = children;
    const isHiding = isWithin || HIDING.has(String(name?.value).toLowerCase());
    if (value !== undefined) yield* hidden(value, isHiding);
  } else if (children.length > 0) for (const child of children) yield* hidden(child, isWithin);
  else if (isWithin && type === "string") yield { offset, length, content: '"…"' };
}
