import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A small break of the code behind a row, which a test of the row must notice. */
export interface Mutation {
  readonly row: string;
  readonly file: string;
  /** A text that is in the file once. */
  readonly find: string;
  readonly replace: string;
  /** The test file with the row's number. */
  readonly test: string;
}

const FOLDER = "tests/conformance/mutations";

/** All that are kept, in the order of their rows. */
export function readMutations(root: string): readonly Mutation[] {
  const files = globSync(`${FOLDER}/*.json`, { cwd: root });
  const all = files.flatMap((file) => JSON.parse(readFileSync(join(root, file), "utf8")) as Mutation[]);
  return all.sort((a, b) => Number(a.row.slice(1)) - Number(b.row.slice(1)));
}

/** The file with the mutation in it. @throws Error for one that does not fit the code any more. */
export function mutated({ row, file, find, replace }: Mutation, root: string): string {
  const source = readFileSync(join(root, file), "utf8");
  const times = source.split(find).length - 1;
  if (times !== 1 || find === replace)
    throw new Error(`${row}: ${JSON.stringify(find)} is ${times} times in ${file}, and must be there once`);
  return source.replace(find, () => replace);
}
