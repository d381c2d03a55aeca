import type { Files } from "@toolkeep/core/ports";

const MOST_FILES = 10_000;

/** Files of the workspace, each with what tells that it changed. */
export type FileStates = ReadonlyMap<string, string>;

export interface FileChanges {
  readonly created: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
}

/** Of very many files the first ones that are found. */
export async function fileStates(files: Files, pattern: string): Promise<FileStates> {
  const states = new Map<string, string>();
  for await (const { path, size, modifiedAt } of files.list({ root: ".", pattern, limit: MOST_FILES }))
    states.set(path, `${size} ${modifiedAt}`);
  return states;
}

export function changesBetween(before: FileStates, after: FileStates): FileChanges {
  const paths = [...after.keys()];
  return {
    created: paths.filter((path) => !before.has(path)),
    changed: paths.filter((path) => before.has(path) && before.get(path) !== after.get(path)),
    removed: [...before.keys()].filter((path) => !after.has(path)),
  };
}
