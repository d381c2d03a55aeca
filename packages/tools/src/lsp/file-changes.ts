import type { Files } from "@toolkeep/core/ports";

const MOST_FILES = 10_000;

/** Files of the workspace, each with what tells that it changed. */
export type FileStates = ReadonlyMap<string, string>;

/** The protocol counts: created, changed, removed. */
export interface FileChange {
  readonly path: string;
  readonly type: 1 | 2 | 3;
}

/** Of very many files the first ones that are found. */
export async function fileStates(files: Files, pattern: string): Promise<FileStates> {
  const found = await Array.fromAsync(files.list({ root: ".", pattern, limit: MOST_FILES }));
  return new Map(found.map(({ path, size, modifiedAt }) => [path, `${size} ${modifiedAt}`]));
}

export function changesBetween(before: FileStates, after: FileStates): readonly FileChange[] {
  const others = [...after].filter(([path, state]) => before.get(path) !== state);
  const gone = [...before.keys()].filter((path) => !after.has(path));
  return [
    ...others.map(([path]) => ({ path, type: before.has(path) ? 2 : 1 }) as const),
    ...gone.map((path) => ({ path, type: 3 }) as const),
  ];
}
