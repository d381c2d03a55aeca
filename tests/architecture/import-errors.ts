import { importedPath, importsOf, isTest, type SourceFile } from "./source-file.ts";

/** Which folder of a folder is on which floor. */
export type Floors = Readonly<Record<string, readonly (readonly string[])[]>>;

/** Imports within a package's `src` that go up or sideways, at any depth, and folders without a floor. */
export function floorErrors(files: readonly SourceFile[], floors: Floors): string[] {
  const sources = files.filter((file) => !isTest(file));
  const homeless = new Set(sources.flatMap(({ path }) => withoutFloor(path, floors)));
  const climbing = sources.flatMap((file) =>
    relativeImports(file)
      .filter((target) => !isBelow(target, file.path, floors))
      .map((target) => `${file.path} imports ${target}, which is not below it`),
  );
  return [...[...homeless].map((folder) => `${folder} has no floor`), ...climbing];
}

/** Compares the two where their paths part. */
function isBelow(target: string, path: string, floors: Floors): boolean {
  const [to, from] = [target.split("/"), path.split("/")];
  let depth = 0;
  while (depth < from.length - 1 && depth < to.length - 1 && to[depth] === from[depth]) depth += 1;
  const [child, ours] = [childAt(to, depth), childAt(from, depth)];
  if (child === ours) return true;
  const levels = floors[from.slice(0, depth).join("/")] ?? [];
  const floorOf = (name: string) => levels.findIndex((level) => level.includes(name));
  return floorOf(child) >= 0 && floorOf(child) < floorOf(ours);
}

/** The folder's own files are one child of it. */
function childAt(parts: readonly string[], depth: number): string {
  return depth === parts.length - 1 ? "." : (parts[depth] ?? ".");
}

/** The folders of a path that stand next to others and have no floor among them. */
function withoutFloor(path: string, floors: Floors): string[] {
  const parts = path.split("/");
  return parts.flatMap((_, depth) => {
    const levels = floors[parts.slice(0, depth).join("/")];
    const child = childAt(parts, depth);
    const isKnown = levels === undefined ? depth > 0 && child === "." : levels.flat().includes(child);
    return isKnown ? [] : [parts.slice(0, depth + 1).join("/")];
  });
}

/** Circles of files that import each other, by types too; each is told by its shortest way round. */
export function circleErrors(files: readonly SourceFile[]): string[] {
  const sources = files.filter((file) => !isTest(file));
  const imported = new Map(sources.map((file) => [file.path, relativeImports(file)]));
  const told = new Set<string>();
  return sources.flatMap(({ path }) => {
    const way = wayBack(path, imported);
    if (way === undefined || way.some((one) => told.has(one))) return [];
    for (const one of way) told.add(one);
    return [`${way.join(" imports ")} imports ${path}`];
  });
}

/** The shortest way from a file back to itself. */
function wayBack(
  start: string,
  imported: ReadonlyMap<string, readonly string[]>,
): readonly string[] | undefined {
  const seen = new Set<string>();
  let ways: (readonly [string, ...string[]])[] = [[start]];
  while (ways.length > 0) {
    const next: typeof ways = [];
    for (const way of ways)
      for (const target of imported.get(way.at(-1) ?? "") ?? []) {
        if (target === start) return way;
        if (seen.has(target)) continue;
        seen.add(target);
        next.push([...way, target]);
      }
    ways = next;
  }
  return undefined;
}

/** A package's sources and the table of who may import whom. */
export interface PackageSources {
  readonly name: string;
  readonly files: readonly SourceFile[];
  readonly allowed: Readonly<Record<string, readonly string[]>>;
}

/** Imports of one package's files that reach a package it may not use, or leave its folder. */
export function packageErrors({ name, files, allowed }: PackageSources): string[] {
  const mayImport = allowed[name];
  if (!mayImport) return [`${name} is not in the table of packages`];
  return (
    files
      .filter((file) => !isTest(file))
      // Whatever else is imported is within the folder, or of others.
      .filter(({ text }) => text.includes("toolkeep") || text.includes(".."))
      .flatMap((file) => {
        const foreign = importsOf(file).filter((specifier) => {
          const owner = /^(?:@toolkeep\/[^/]+|toolkeep)(?=\/|$)/.exec(specifier)?.[0];
          return owner !== undefined && !mayImport.includes(owner);
        });
        const outside = relativeImports(file).filter((target) => target.startsWith(".."));
        return [...foreign, ...outside].map((target) => `${name}: ${file.path} may not import ${target}`);
      })
  );
}

function relativeImports(file: SourceFile): string[] {
  return importsOf(file)
    .filter((specifier) => specifier.startsWith("."))
    .map((specifier) => importedPath(file, specifier));
}
