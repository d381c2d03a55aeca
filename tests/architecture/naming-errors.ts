import { nodesOf, type SourceFile } from "./source-file.ts";

const CATCH_ALLS = /^(util|helper|common|shared|misc|manager|service|base|impl)s?$|^utilit(y|ies)$|^v2$/;

/** Files and folders with a catch-all name instead of the name of what is in them. */
export function catchAllErrors(files: readonly SourceFile[]): string[] {
  return files.flatMap(({ path }) => {
    // Models know these tools by that name.
    if (path === "examples/managers.ts") return [];
    const word = path.split(/[/.-]/).find((part) => CATCH_ALLS.test(part));
    return word ? [`${path} is named "${word}"`] : [];
  });
}

/** Re-exports of everything, which hide what a module offers. */
export function exportAllErrors(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ text }) => /\bexport\b[^;{]*\*/.test(text))
    .filter((file) => nodesOf(file).some((node) => node.type === "ExportAllDeclaration"))
    .map((file) => `${file.path} exports *`);
}

/** Index files that no package publishes; `entryPoints` are the published ones. */
export function entryPointErrors(files: readonly SourceFile[], entryPoints: readonly string[]): string[] {
  return files
    .filter(({ path }) => /(^|\/)index\.ts$/.test(path) && !entryPoints.includes(path))
    .map(({ path }) => `${path} is an index but not a published entry point`);
}
