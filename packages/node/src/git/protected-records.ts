import { join } from "node:path";
import { kindAt } from "../files/entries.ts";
import { gitStates, repositoryIndex } from "./git-states.ts";
import { protectedNamesIn } from "./indexed-files.ts";

/** Whether a tracked file that decides what is run is as git records it; `unknown` where that cannot be told. */
export type RecordState = "same" | "other" | "missing" | "unknown";

export interface ProtectedRecords {
  /** The same as long as no index has changed. */
  readonly stamp: string;
  readonly states: ReadonlyMap<string, RecordState>;
}

/** All such files of the repositories in some folders, without running git. */
export function protectedRecords(
  tops: readonly string[],
  isVisible: (path: string) => boolean,
): ProtectedRecords {
  const read = tops.flatMap((top) => {
    const index = repositoryIndex(top, isVisible);
    return index === undefined ? [] : [{ top, ...protectedNamesIn(index) }];
  });
  const paths = read.flatMap(({ top, names }) => names.map((name) => join(top, name)));
  const known = gitStates(paths, isVisible);
  const states = paths.map((path): [string, RecordState] => {
    const state = known.get(path);
    if (state === "recorded") return [path, "same"];
    if (state === "modified") return [path, "other"];
    return [path, kindAt(path) === undefined ? "missing" : "unknown"];
  });
  return { stamp: read.map(({ stamp }) => stamp).join(" "), states: new Map(states) };
}
