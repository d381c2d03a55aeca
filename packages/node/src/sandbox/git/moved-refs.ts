import { createHash } from "node:crypto";
import { dirname, join } from "node:path";
import { ToolFailure } from "@toolkeep/core";
import type { SandboxProfile } from "@toolkeep/core/ports";
import { readSmallFile } from "../../files/read-small-file.ts";
import { indexedFiles, protectedNamesIn } from "../../git/indexed-files.ts";
import { type Refs, repositoryRefs } from "../../git/repository-refs.ts";
import { listedNames } from "../denied/denied-note.ts";
import { type Find, isClosedName } from "../scan/find.ts";
import { gitOutput, type LookPlace } from "./git-writes.ts";

/** What brings commits of others: their names are the remote's to move. */
const FETCHING = /\bgit\b[^;&|\n]*\b(?:fetch|pull|remote|submodule)\b|\bgh\b[^;&|\n]*\b(?:checkout|sync)\b/;
/** Git shows another object in place of the one that the name ends with. */
const REPLACED = "refs/replace/";
const OF_OTHERS = /^(?:refs\/remotes\/|FETCH_HEAD$|[0-9a-f]{40})/;
/** A command that adds more could hide one of them behind the others. */
const MOST_ADDED = 10_000;
const MOST_BYTES = 2 ** 22;
const MOST_NAMED = 20;
/** As many commits as the text of a script has room for, twice. */
const MOST_COMMITS = 900;

/**
 * Looks, once a command is over, at commits that it made and gave a name: branches, tags, stashes, what was fetched. Git
 * writes their files into the work tree at the next checkout, merge, reset or `stash pop` of the user. Those that decide
 * what is run, and that no commit or file had before, are named.
 */
export function watchRefs(
  argv: readonly string[],
  finds: readonly Find[],
  profile: SandboxProfile,
  place: LookPlace,
): () => Promise<ToolFailure | undefined> {
  const tops = finds
    .filter(({ kind, type }) => kind === "repository" && type === "folder")
    .map(({ path: store }) => ({ store, before: repositoryRefs(store), staged: stagedIn(store) }));
  const isFetching = profile.hosts.length > 0 && FETCHING.test(argv.at(-1) ?? "");
  return async () => {
    const found: Planted[] = [];
    for (const { store, before, staged } of tops) {
      const top = dirname(store);
      const after = repositoryRefs(store);
      if (after.size > before.size + MOST_ADDED) found.push({ name: "refs" });
      const theirs = isFetching ? [...after].filter(([name]) => OF_OTHERS.test(name)) : [];
      const known = new Set([...before.values(), ...theirs.map(([, oid]) => oid)]);
      const moved = [...after].filter(([, oid]) => !known.has(oid));
      const replaced = moved.filter(([name]) => name.startsWith(REPLACED));
      found.push(...replaced.map(([name]) => ({ path: join(store, "packed-refs"), name })));
      if (moved.length > replaced.length)
        found.push(...(await plantedIn(top, { before, known, moved }, { profile, place })));
      const isNew = ({ path, blob }: Change) => !staged.some((one) => one.path === path && one.blob === blob);
      const strange = stagedIn(store).filter((one) => isNew(one) && isStrange(top, one, profile));
      const trees = ["HEAD", ...known].slice(0, MOST_TREES).map((tip) => `${TREE} ${tip}`);
      const look = { folder: top, roots: profile.write, ...place };
      const kept = strange.length === 0 ? "" : await gitOutput(trees.join("; "), look);
      const left = strange.filter((one) => !isKept(one, kept));
      found.push(...left.map(({ path }) => ({ path: join(top, path), name: "index" })));
    }
    return found.length === 0 ? undefined : movedFailure(found, profile.cwd);
  };
}

interface Moved {
  readonly before: Refs;
  readonly known: ReadonlySet<string>;
  readonly moved: readonly (readonly [name: string, oid: string])[];
}

interface Planted {
  /** Missing where git did not show all changes, because they are too many or take too long. */
  readonly path?: string;
  readonly name: string;
}

const GIT = "git -c safe.directory='*' -c core.commitGraph=false";
const TREE = `${GIT} ls-tree -r -z`;
const MOST_TREES = 20;
/** Of a merge, only what none of its parents has. Commits that are gone are ignored only if that is said before `--stdin`. */
const LOG =
  "log --ignore-missing --stdin --format= --raw --no-abbrev --no-renames --no-ext-diff --no-show-signature --root -c -z";

async function plantedIn(
  top: string,
  { before, known, moved }: Moved,
  { profile, place }: { readonly profile: SandboxProfile; readonly place: LookPlace },
): Promise<readonly Planted[]> {
  const ask = (script: string) => gitOutput(script, { folder: top, roots: profile.write, ...place });
  const branches = [...before].filter(([one]) => one.startsWith("refs/heads/")).map(([, oid]) => oid);
  const found: Planted[] = [];
  const groups = halves(moved, MOST_COMMITS);
  for (let group = groups.pop(); group !== undefined && found.length < MOST_NAMED; group = groups.pop()) {
    const [name] = group[0] as Moved["moved"][number];
    const nearest = [before.get(name), before.get("HEAD"), ...branches].filter((one) => one !== undefined);
    const old = [...new Set([...nearest, ...known])].slice(0, MOST_COMMITS).map((oid) => `^${oid}`);
    const given = group.map(([, oid]) => oid).join("\n");
    // A name may be there before its commit.
    const check = `case "$(${GIT} cat-file --batch-check <<'END'\n${given}\nEND\n)" in *missing*) exit;; esac\n`;
    const output = await ask(
      `${check}${GIT} ${LOG} <<'END' && printf '\\000${DONE}'\n${[given, ...old].join("\n")}\nEND\n`,
    );
    if (!output.endsWith(`\0${DONE}`)) found.push({ name });
    const strange = changesIn(output).filter((change) => isStrange(top, change, profile));
    // Which of the names leads to it.
    if (strange.length > 0 && group.length > 1) groups.push(...halves(group, group.length - 1));
    if (strange.length === 0 || group.length > 1) continue;
    const tips = new Set([before.get(name), before.get("HEAD"), before.get("refs/heads/main")]);
    const lists = [...tips].filter((tip) => tip !== undefined).map((tip) => `${TREE} ${tip}`);
    const kept = lists.length === 0 ? "" : await ask(lists.join("; "));
    for (const change of strange.filter((one) => !isKept(one, kept)))
      found.push({ path: join(top, change.path), name });
  }
  return found;
}

interface Change {
  readonly path: string;
  readonly blob: string;
}

/** Whether it is listed in a tree. */
function isKept({ path, blob }: Change, trees: string): boolean {
  return trees.includes(`${blob}\t${path}\0`);
}

function isStrange(top: string, { path, blob }: Change, { write }: SandboxProfile): boolean {
  const full = join(top, path);
  return isClosedName(top, full) && !write.includes(full) && !hasBytes(full, blob);
}

/** What the index records of files that decide what is run; `git checkout .` writes them. */
function stagedIn(store: string): readonly Change[] {
  const index = join(store, "index");
  const keys = protectedNamesIn(index).names.map(
    (path) => [path, Buffer.from(path).toString("latin1")] as const,
  );
  const files = indexedFiles(index, new Set(keys.map(([, key]) => key)));
  return keys.flatMap(([path, key]) => (files.get(key) ?? []).map(({ hash }) => ({ path, blob: hash })));
}

/** Printed once everything was shown. */
const DONE = "all changes were shown";

function halves(all: Moved["moved"], most: number): Moved["moved"][] {
  const middle = all.length >> 1;
  if (all.length <= most) return [all];
  return [all.slice(0, middle), all.slice(middle)].flatMap((one) => halves(one, most));
}

/** `:100644 100755 OLD NEW M`, or with one more colon and object for each further parent; then the path. */
function changesIn(output: string): readonly Change[] {
  const parts = output.split("\0").map((part) => part.replace(/^\n+/, ""));
  return parts.flatMap((part, at) => {
    const blob = /^:+[0-7 ]+ (?:[0-9a-f]{40,64} )+/.exec(part)?.[0].trimEnd().split(" ").at(-1) ?? "";
    const path = parts[at + 1] ?? "";
    return blob === "" || /^0*$/.test(blob) || path === "" ? [] : [{ path, blob }];
  });
}

/** Whether the file is there with these bytes: it was approved, or is the user's. */
function hasBytes(path: string, blob: string): boolean {
  try {
    const bytes = readSmallFile(path, { mostBytes: MOST_BYTES, followsLinks: false })?.bytes;
    if (bytes === undefined) return false;
    // Git may keep other line ends.
    const plain = Buffer.from(bytes.toString("latin1").replaceAll("\r\n", "\n"), "latin1");
    return [bytes, plain].some((one) => {
      const hash = createHash(blob.length === 40 ? "sha1" : "sha256");
      return hash.update(`blob ${one.length}\0`).update(one).digest("hex") === blob;
    });
  } catch {
    return false;
  }
}

function movedFailure(found: readonly Planted[], cwd: string): ToolFailure {
  const named = found
    .slice(0, MOST_NAMED)
    .map(({ path, name }) => (path === undefined ? name : `${listedNames([path], cwd)} in ${name}`));
  const { path, name } = found.find((one) => one.path !== undefined) ?? (found[0] as Planted);
  const file = path === undefined ? "" : ` -1 -- ${listedNames([path], cwd)}`;
  const look = name.startsWith(REPLACED)
    ? `git for-each-ref ${REPLACED}`
    : name === "index"
      ? "git diff --cached"
      : `git log -p ${name}${file}`;
  const unseen = found.some((one) => one.path === undefined) ? ", or that could not be looked at" : "";
  return new ToolFailure(
    "out_of_scope",
    `The command ran, and committed or staged files that decide what is run${unseen}: ${[...new Set(named)].join(", ")}. Git puts them in place at the next checkout, merge, reset or stash pop.`,
    { hint: `Tell the user before anything else is done with git. \`${look}\` shows what they are.` },
  );
}
