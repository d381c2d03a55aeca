import { isBuiltin } from "node:module";
import { importsOf, isNode, isTest, nodesOf, type SourceFile, type SyntaxNode } from "./source-file.ts";

const BANNED = new Set(["process", "Buffer", "require", "fetch"]);

/** Uses of Node's modules and globals, and of the network, in code that must run anywhere. */
export function portabilityErrors(files: readonly SourceFile[]): string[] {
  return files
    .filter((file) => !isTest(file))
    .flatMap((file) => {
      const builtins = importsOf(file).filter(isBuiltin);
      const globals = new Set(nodesOf(file).flatMap(bannedGlobal));
      return [
        ...builtins.map((specifier) => `${file.path} imports ${specifier}`),
        ...Array.from(globals, (name) => `${file.path} uses the global ${name}`),
      ];
    });
}

function bannedGlobal(node: SyntaxNode): string[] {
  const name = node.type === "MemberExpression" ? propertyOfGlobalThis(node) : identifierName(node);
  return typeof name === "string" && BANNED.has(name) ? [name] : [];
}

function identifierName(node: SyntaxNode): unknown {
  return node.type === "Identifier" ? node.name : undefined;
}

function propertyOfGlobalThis({ object, property }: SyntaxNode): unknown {
  if (!isNode(object) || !isNode(property) || object.name !== "globalThis") return undefined;
  return property.name ?? property.value;
}
