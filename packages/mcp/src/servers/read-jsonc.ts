import {
  findNodeAtLocation,
  getNodeValue,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from "jsonc-parser";

/** What a file says, or why nobody can tell. */
export type ReadJsonc =
  | { readonly value: unknown; lineOf(path: readonly (string | number)[]): number }
  | { readonly fault: string; readonly line: number };

/** Reads JSON with comments and trailing commas. A key that is there twice is a fault: nobody could tell which counts. */
export function readJsonc(text: string): ReadJsonc {
  const errors: ParseError[] = [];
  const lineAt = (offset: number) => text.slice(0, offset).split("\n").length;
  const root = parsed(text, errors);
  const [error] = errors;
  if (error !== undefined) {
    return {
      fault: `this is no JSON: ${words(printParseErrorCode(error.error))}`,
      line: lineAt(error.offset),
    };
  }
  if (root === undefined) return { fault: "it is empty or nested too deeply", line: 1 };
  const bad = badKey(root);
  if (bad !== undefined) {
    return {
      fault: `the key ${JSON.stringify(bad.value)} is there twice or not possible`,
      line: lineAt(bad.offset),
    };
  }
  return {
    value: getNodeValue(root),
    lineOf: (path) => lineAt(nearestNode(root, path).offset),
  };
}

function parsed(text: string, errors: ParseError[]): Node | undefined {
  try {
    return parseTree(text.replace(/^\uFEFF/, ""), errors, {
      allowTrailingComma: true,
      allowEmptyContent: true,
    });
  } catch {
    // The parser calls itself for each level, and the stack is finite.
    errors.length = 0;
    return undefined;
  }
}

function badKey(root: Node): Node | undefined {
  const open = [root];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    const { children = [] } = node;
    if (node.type === "object") {
      const seen = new Set<unknown>(["__proto__"]);
      for (const { children: [name] = [] } of children) {
        if (name !== undefined && seen.has(name.value)) return name;
        seen.add(name?.value);
      }
    }
    open.push(...(node.type === "property" ? children.slice(1) : children));
  }
  return undefined;
}

/** Of what is not there, what it would be in. */
function nearestNode(root: Node, path: readonly (string | number)[]): Node {
  for (let length = path.length; length > 0; length -= 1) {
    const found = findNodeAtLocation(root, path.slice(0, length));
    if (found !== undefined) return found.parent?.type === "property" ? found.parent : found;
  }
  return root;
}

/** `ValueExpected` as words. */
function words(code: string): string {
  return code.replaceAll(/(?<=[a-z])(?=[A-Z])/g, " ").toLowerCase();
}
