import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { parseAst } from "rolldown/parseAst";

/** A TypeScript file; its path is relative to the folder that is being checked. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** A node of the syntax tree, as far as the checks look into it. */
export interface SyntaxNode {
  readonly type: string;
  readonly name?: unknown;
  readonly value?: unknown;
  readonly source?: unknown;
  readonly object?: unknown;
  readonly property?: unknown;
  readonly computed?: unknown;
}

/** Reads all TypeScript files below a folder, sorted, leaving out what is installed or built. */
export function readSources(folder: string): readonly SourceFile[] {
  return globSync("**/*.ts", { cwd: folder, exclude: ["**/node_modules", "**/dist"] })
    .sort()
    .map((path) => ({ path, text: readFileSync(join(folder, path), "utf8") }));
}

/** True for files that only tests load, which are free to import what they check. */
export function isTest(file: SourceFile): boolean {
  return /\.test(-d|\.kit)?\.ts$/.test(file.path);
}

/** Every module a file names: imports, re-exports, dynamic imports and types alike. */
export function importsOf(file: SourceFile): readonly string[] {
  return nodesOf(file).flatMap((node) => {
    const { source } = node;
    return isNode(source) && typeof source.value === "string" ? [source.value] : [];
  });
}

/** The path a relative import leads to, relative to the same folder as the importing file's. */
export function importedPath(file: SourceFile, specifier: string): string {
  return normalize(join(dirname(file.path), specifier));
}

/** Every node of a file's syntax tree except plain property names, which refer to nothing. */
export function nodesOf({ path, text }: SourceFile): readonly SyntaxNode[] {
  const known = parsed.get(text);
  if (known !== undefined) return known;
  const found: SyntaxNode[] = [];
  collect(parseAst(text, { lang: "ts", sourceType: "module" }, path), found);
  parsed.set(text, found);
  return found;
}

/** Several checks look at each file. */
const parsed = new Map<string, readonly SyntaxNode[]>();

function collect(value: unknown, found: SyntaxNode[]): void {
  if (Array.isArray(value)) for (const entry of value) collect(entry, found);
  if (!isNode(value)) return;
  found.push(value);
  for (const [field, child] of Object.entries(value)) {
    if (!isPropertyName(value, field)) collect(child, found);
  }
}

function isPropertyName(node: SyntaxNode, field: string): boolean {
  if (node.computed === false) return field === "property" || field === "key";
  return node.type === "TSQualifiedName" && field === "right";
}

/** Tells nodes of the syntax tree from everything else in it. */
export function isNode(value: unknown): value is SyntaxNode {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}
