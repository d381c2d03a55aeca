import { importedPath, importsOf, isTest, type SourceFile } from "./source-file.ts";

/** Imports within a package's `src` that go up, sideways, or to a folder without a place. */
export function layerErrors(files: readonly SourceFile[], layers: readonly (readonly string[])[]): string[] {
  const layerOf = (path: string) => layers.findIndex((layer) => layer.includes(folderOf(path)));
  return files
    .filter((file) => !isTest(file) && !isEntryPoint(file))
    .flatMap((file) => {
      if (layerOf(file.path) < 0) return [`${file.path} is in no layer`];
      return relativeImports(file)
        .filter((target) => folderOf(target) !== folderOf(file.path))
        .filter((target) => layerOf(target) < 0 || layerOf(target) >= layerOf(file.path))
        .map((target) => `${file.path} imports ${target}, which is not below it`);
    });
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

/** Files at the top of `src` publish what the folders contain. */
function isEntryPoint({ path }: SourceFile): boolean {
  return !path.includes("/");
}

function folderOf(path: string): string {
  return path.includes("/") ? (path.split("/")[0] ?? "") : "";
}
