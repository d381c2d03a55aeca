import { type BigIntStats, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { unlessThrown } from "@toolkeep/core/internal";
import { versionOf } from "../files/opened-file.ts";
import { readSmallFile } from "../files/read-small-file.ts";

/** The commits that a repository names, by the names it has for them; not those that name another name. With stashes. */
export type Refs = ReadonlyMap<string, string>;

const OID = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
const PACKED = "packed-refs";
const MOST_BYTES = 2 ** 26;
const MOST_REFS = 20_000;

/** Reads a repository's own files, without running git and without following links. */
export function repositoryRefs(store: string): Refs {
  const refs = new Map<string, string>();
  for (const line of textAt(join(store, PACKED)).split("\n")) {
    const [oid = "", name] = line.split(" ");
    if (name !== undefined && OID.test(oid)) refs.set(name, oid);
  }
  const packed = refs.size;
  const own = ["refs", "HEAD", "ORIG_HEAD"];
  const worktrees = namesIn(join(store, "worktrees")) ?? [];
  const waiting = [...own, ...worktrees.flatMap((one) => own.map((name) => `worktrees/${one}/${name}`))];
  for (let name = waiting.pop(); name !== undefined && refs.size < packed + MOST_REFS; name = waiting.pop()) {
    const entries = namesIn(join(store, name));
    if (entries !== undefined) waiting.push(...entries.map((entry) => `${name}/${entry}`));
    else {
      add(name, textAt(join(store, name)).trim());
    }
  }
  // The last is the one that `refs/stash` names.
  const stashes = textAt(join(store, "logs/refs/stash")).trimEnd().split("\n").slice(0, -1).toReversed();
  for (const [at, line] of stashes.entries()) add(`stash@{${at + 1}}`, line.split(" ")[1]);
  for (const [at, line] of textAt(join(store, "FETCH_HEAD")).split("\n").entries()) {
    const [oid] = line.split("\t");
    add(at === 0 ? "FETCH_HEAD" : `${oid}`, oid);
  }
  return refs;

  function add(name: string, oid = ""): void {
    if (OID.test(oid) && refs.size < packed + MOST_REFS) refs.set(name, oid);
  }
}

function namesIn(path: string): readonly string[] | undefined {
  return unlessThrown(() => readdirSync(path));
}

const remembered = new Map<string, { readonly stamp: string; readonly text: string }>();
/** Two changes within one tick of the clock have the same time. */
const RECENT_MS = 1_000;

function textAt(path: string): string {
  try {
    const stats: BigIntStats = lstatSync(path, { bigint: true });
    const known = remembered.get(path);
    if (known?.stamp === versionOf(stats)) return known.text;
    const text = readSmallFile(path, { mostBytes: MOST_BYTES, followsLinks: false })?.bytes.toString() ?? "";
    if (remembered.size > MOST_REFS) remembered.clear();
    if (Date.now() - Number(stats.ctimeMs) > RECENT_MS)
      remembered.set(path, { stamp: versionOf(stats), text });
    return text;
  } catch {
    return "";
  }
}
