import { type GitArgs, type GitCall, gitArgs } from "../../git/git-calls.ts";
import { COMMIT, DIFF, ENDING, LOG, TIMES, TREES, UNTRACKED, VALUES } from "./look-args.ts";

/** Git commands that only name files; the next one of a list is tried if one fails. */
export type GitLook = readonly (readonly string[])[];

/** Asks git which files a command would change. */
export interface GitLooks {
  readonly looks: readonly GitLook[];
  /** What HEAD is after the command, if it moves to a commit that is known. */
  readonly head?: string;
}

/** Which files of the work tree a command may change, as questions to git; none for commands that change none. */
export function gitLooks({ subcommand, rest }: GitCall, head: string): GitLooks {
  const args = gitArgs(rest, VALUES[subcommand] ?? /^$/);
  const commits = args.operands
    .slice(0, args.operands.length - args.paths.length)
    .map((one) => (one === "-" ? "@{-1}" : one))
    .filter((one) => COMMIT.test(one));
  const asked = Object.hasOwn(LOOKS, subcommand) ? LOOKS[subcommand] : undefined;
  return asked?.({ ...args, commits, head, rest }) ?? NOTHING;
}

interface Asked extends GitArgs {
  readonly commits: readonly string[];
  readonly head: string;
  readonly rest: readonly string[];
}

const NOTHING: GitLooks = { looks: [] };

const LOOKS: Readonly<Record<string, (asked: Asked) => GitLooks>> = {
  checkout: (asked) =>
    asked.paths.length > 0 ? restored(asked, asked.commits[0], asked.paths) : moved(asked, true),
  switch: (asked) => moved(asked, false),
  restore: restoring,
  reset: (asked) => {
    if (!has(asked, /^--(?:hard|merge|keep)$/)) return NOTHING;
    const [commit = asked.head] = asked.commits;
    return { looks: [[[...TIMES, commit, "--"]], [[...TREES, asked.head, commit, "--"]]], head: commit };
  },
  merge: (asked) => {
    if (has(asked, ENDING)) return { looks: [[[...DIFF, "HEAD", "--"]]] };
    return { looks: asked.commits.map((commit) => merged(asked.head, commit)) };
  },
  rebase: (asked) => {
    if (has(asked, ENDING))
      return { looks: [[[...DIFF, "HEAD", "--"]], [[...TREES, "HEAD", "ORIG_HEAD", "--"]]] };
    const onto = asked.rest[asked.rest.indexOf("--onto") + 1];
    const [upstream = "@{u}", branch = asked.head] = asked.commits;
    const base = asked.rest.includes("--onto") && onto !== undefined && COMMIT.test(onto) ? onto : upstream;
    const looks = [[[...TREES, asked.head, base, "--"]], [[...LOG, `${upstream}..${branch}`, "--"]]];
    return { looks, ...(asked.commits.length > 1 ? { head: branch } : {}) };
  },
  // What is not fetched yet is not known yet.
  pull: ({ head, commits: [remote, name] }) => ({
    looks: [merged(head, remote === undefined || name === undefined ? "@{u}" : `${remote}/${name}`)],
  }),
  "cherry-pick": picked,
  revert: picked,
  stash: stashed,
};

function has({ options }: Pick<Asked, "options">, option: RegExp): boolean {
  return options.some((one) => option.test(one));
}

/** A branch that only the remote has is made from that one. */
function moved({ options, commits, head }: Asked, mayBePath: boolean): GitLooks {
  const [commit] = commits;
  if (commit === undefined || has({ options }, /^--orphan/)) return NOTHING;
  const isForced = has({ options }, /^(?:-f|--force|--discard-changes)$/);
  const trees = [
    [...TREES, head, commit, "--"],
    [...TREES, head, `origin/${commit}`, "--"],
  ];
  const files = mayBePath ? [[[...DIFF, "--", ...commits]]] : [];
  return { looks: [trees, ...files, ...(isForced ? [[[...DIFF, commit, "--"]]] : [])], head: commit };
}

function restored({ head }: Asked, commit: string | undefined, paths: readonly string[]): GitLooks {
  if (commit === undefined) return { looks: [[[...DIFF, "--", ...paths]]] };
  return { looks: [[[...DIFF, commit, "--", ...paths]], [[...TREES, head, commit, "--", ...paths]]] };
}

function restoring(asked: Asked): GitLooks {
  const isStaged = has(asked, /^(?:-S|--staged)$/) && !has(asked, /^(?:-W|--worktree)$/);
  if (isStaged || asked.operands.length === 0) return NOTHING;
  const at = asked.rest.findIndex((one) => /^(?:-s|--source)$/.test(one));
  const source =
    at === -1 ? asked.options.find((one) => one.startsWith("--source="))?.slice(9) : asked.rest[at + 1];
  return restored(asked, source !== undefined && COMMIT.test(source) ? source : undefined, asked.operands);
}

function merged(head: string, commit: string): GitLook {
  return [[...DIFF, `${head}...${commit}`, "--"]];
}

function picked(asked: Asked): GitLooks {
  if (has(asked, ENDING)) return { looks: [[[...DIFF, "HEAD", "--"]]] };
  return {
    looks: asked.commits.map((commit) => [[...LOG, ...(commit.includes("..") ? [] : ["-1"]), commit, "--"]]),
  };
}

function stashed({ options, operands, paths }: Asked): GitLooks {
  const [action = "push", given = "0"] = operands;
  if (action === "pop" || action === "apply") {
    const commit = /^\d+$/.test(given) ? `stash@{${given}}` : given;
    if (!COMMIT.test(commit)) return NOTHING;
    const untracked = ["ls-tree", "-r", "--full-tree", "--name-only", "-z", `${commit}^3`];
    return { looks: [[[...TREES, `${commit}^1`, commit, "--"]], [untracked]] };
  }
  if (paths.length === 0 && action !== "push" && action !== "save") return NOTHING;
  const isAll = has({ options }, /^(?:-[a-z]*[ua][a-z]*|--include-untracked|--all)$/);
  return { looks: [[[...DIFF, "HEAD", "--", ...paths]], ...(isAll ? [[UNTRACKED]] : [])] };
}
