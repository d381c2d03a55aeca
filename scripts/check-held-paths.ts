import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { parseAst } from "rolldown/parseAst";
import { ROOT } from "./root.ts";

/*
 * In the sandbox, another process may put something else at any path between two steps. So whatever makes, changes
 * or removes something there goes through a folder that is held (`folder.at(name)`), or by a handle. This check
 * finds what goes by a path instead. Run by `npm run lint`.
 */

/** What changes something, and which of its arguments are paths. */
const CHANGING: ReadonlyMap<string, readonly number[]> = new Map<string, readonly number[]>([
  ...["rm", "rmdir", "unlink", "mkdir", "mkdtemp", "lutimes", "open"].map((name) => [name, [0]] as const),
  ...["chmod", "chown", "lchmod", "lchown", "utimes", "writeFile", "appendFile", "truncate"].map(
    (name) => [name, [0]] as const,
  ),
  ...["rename", "copyFile", "cp", "link"].map((name) => [name, [0, 1]] as const),
  ["createWriteStream", [0]],
  ["symlink", [1]],
]);

/** These follow a link that stands at the name itself, so that a folder that is held is not enough. */
const FOLLOWING: ReadonlySet<string> = new Set([
  "chmod",
  "chown",
  "utimes",
  "writeFile",
  "appendFile",
  "truncate",
  "copyFile",
  "cp",
  "createWriteStream",
]);

/** Helpers that receive a path in a held folder, in a parameter of this name. */
const HELD_PATH = "heldPath";
const HELPERS: ReadonlySet<string> = new Set(["open-up.ts", "put-back.ts", "quarantine.ts"]);

/** By a path all the same, each for a reason. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  // The quarantine is outside of all sandboxes; it is held, and looked at, before anything is moved into it.
  "quarantine.ts": ["mkdirSync"],
  // A name that cannot be guessed, in a folder where no other user can rename it; closed until it is laid out.
  "probe-stage.ts": ["mkdtemp"],
  // What git answers is kept in a folder of the machine, which no sandbox is shown.
  "git-writes.ts": ["mkdtemp", "rm"],
  // Layers are in a folder of ours that no sandbox is shown; commands see only what is beneath the folders made here.
  "open-caches.ts": ["mkdirSync", "lchownSync", "lutimesSync"],
};

export interface SourceText {
  readonly path: string;
  readonly text: string;
}

/** What goes by a path in these files of the sandbox, each with its line. */
export function heldPathErrors(files: readonly SourceText[]): readonly string[] {
  return files.flatMap((file) => {
    const tree: unknown = parseAst(file.text, { lang: "ts", sourceType: "module" }, file.path);
    const nodes = nodesOf(tree);
    const names = new Map(nodes.filter(isFileSystemImport).flatMap(importedNames));
    return [
      ...nodes
        .filter((node) => isOpaque(node))
        .map((node) => error(file, node, "takes the whole of node:fs")),
      ...nodes.filter(isCall).flatMap((node) => callErrors(file, node, names)),
      ...handedOn(nodes, names).map((node) => error(file, node, `hands on ${node["name"]}`)),
    ];
  });
}

type Syntax = Readonly<Record<string, unknown>> & {
  readonly type: string;
  readonly start: number;
  readonly end: number;
};

function nodesOf(value: unknown): readonly Syntax[] {
  if (Array.isArray(value)) return value.flatMap(nodesOf);
  if (!isSyntax(value)) return [];
  return [value, ...Object.values(value).flatMap(nodesOf)];
}

function isSyntax(value: unknown): value is Syntax {
  return typeof value === "object" && value !== null && "type" in value && "start" in value;
}

function isFileSystem(source: unknown): boolean {
  return isSyntax(source) && /^(?:node:)?fs(?:\/promises)?$/.test(String(source["value"]));
}

function isFileSystemImport(node: Syntax): boolean {
  return node.type === "ImportDeclaration" && isFileSystem(node["source"]);
}

/** Local names, and what they stand for. */
function importedNames(node: Syntax): readonly (readonly [string, string])[] {
  return (node["specifiers"] as readonly Syntax[])
    .filter(({ type }) => type === "ImportSpecifier")
    .map((specifier) => [nameOf(specifier["local"]), nameOf(specifier["imported"])] as const)
    .filter(([, imported]) => CHANGING.has(withoutSync(imported)));
}

function nameOf(node: unknown): string {
  return isSyntax(node) ? String(node["name"] ?? node["value"]) : "";
}

function withoutSync(name: string): string {
  return name.replace(/Sync$/, "");
}

/** What is used of it cannot be seen. */
function isOpaque(node: Syntax): boolean {
  if (node.type === "ImportExpression") return isFileSystem(node["source"]);
  if (node.type === "ExportNamedDeclaration" || node.type === "ExportAllDeclaration")
    return isFileSystem(node["source"]);
  if (node.type === "CallExpression" && /^(?:require|getBuiltinModule)$/.test(calleeName(node))) return true;
  if (!isFileSystemImport(node)) return false;
  return (node["specifiers"] as readonly Syntax[]).some(({ type }) => type !== "ImportSpecifier");
}

function calleeName(node: Syntax): string {
  const callee = node["callee"];
  if (!isSyntax(callee)) return "";
  return callee.type === "MemberExpression" ? nameOf(callee["property"]) : nameOf(callee);
}

function isCall(node: Syntax): boolean {
  return node.type === "CallExpression" && isSyntax(node["callee"]) && node["callee"].type === "Identifier";
}

function callErrors(file: SourceText, node: Syntax, names: ReadonlyMap<string, string>): readonly string[] {
  const imported = names.get(calleeName(node));
  const module = basename(file.path);
  if (imported === undefined || ALLOWED[module]?.includes(imported) === true) return [];
  const given = node["arguments"] as readonly Syntax[];
  const paths = (CHANGING.get(withoutSync(imported)) ?? []).map((index) => given[index]);
  const isHeld = paths.every((path) => {
    const argument = path === undefined ? "" : file.text.slice(path.start, path.end);
    return FOLLOWING.has(withoutSync(imported)) ? isDescriptor(argument) : isHeldPath(argument, module);
  });
  return isHeld ? [] : [error(file, node, `calls ${imported} by a path`)];
}

function isHeldPath(argument: string, module: string): boolean {
  if (argument === HELD_PATH) return HELPERS.has(module);
  // A number is an index of a list, not a name in a folder.
  return /\.at\((?!\s*-?\d)/.test(argument) || isDescriptor(argument);
}

function isDescriptor(argument: string): boolean {
  return argument.startsWith("`/proc/self/fd/$") && argument.endsWith("}`");
}

/** Used without being called: what it will be called with cannot be seen. */
function handedOn(nodes: readonly Syntax[], names: ReadonlyMap<string, string>): readonly Syntax[] {
  const called = new Set(nodes.filter(isCall).map((node) => (node["callee"] as Syntax).start));
  const imported = nodes.filter(({ type }) => type === "ImportDeclaration");
  return nodes.filter(
    (node) =>
      node.type === "Identifier" &&
      names.has(nameOf(node)) &&
      !called.has(node.start) &&
      !imported.some(({ start, end }) => node.start >= start && node.end <= end),
  );
}

function error({ path, text }: SourceText, { start }: Syntax, says: string): string {
  return `${path}:${text.slice(0, start).split("\n").length} ${says}`;
}

/**
 * The modules of the sandbox, without their tests. What contains commands writes to the state of the user, which no
 * sandbox is shown, and to projects through `heldFolders` alone.
 */
function sandboxSources(): readonly SourceText[] {
  const folder = join(ROOT, "packages/node/src/sandbox");
  return globSync("**/*.ts", { cwd: folder, exclude: ["**/*.test.ts", "testing/**", "contain/**"] })
    .toSorted()
    .map((path) => ({ path, text: readFileSync(join(folder, path), "utf8") }));
}

if (import.meta.main) {
  const errors = heldPathErrors(sandboxSources());
  for (const one of errors) console.error(one);
  if (errors.length > 0) {
    console.error("In the sandbox, use a folder that is held: folder.at(name), or a handle.");
    process.exitCode = 1;
  }
}
