import { ToolFailure } from "@toolkeep/core";
import type { GitPurpose } from "@toolkeep/core/ports";
import { lineOfWords } from "../shell/command-line.ts";

/** The arguments of the tools for git; which of them an action takes is in `ACTIONS`. */
export interface GitCall {
  readonly action: GitAction;
  readonly paths?: readonly string[];
  readonly message?: string;
  readonly ref?: string;
  readonly staged?: boolean;
  readonly count?: number;
  readonly name?: string;
  readonly remote?: string;
  readonly workdir?: string;
}

export type GitAction = keyof typeof ACTIONS;

interface Action {
  readonly purpose: GitPurpose;
  readonly argv: (call: GitCall) => readonly string[];
}

/** Neither programs of the configuration nor of attributes; what the io switches off has no option for these. */
const PLAIN = ["--no-ext-diff", "--no-textconv"];
const LOG_FORMAT = "--format=%H%x1f%an <%ae>%x1f%aI%x1f%s%x1e";
const BRANCH_FORMAT = "--format=%(HEAD)%1f%(refname:short)%1f%(objectname)%1f%(upstream:short)";
const USUAL_COUNT = 20;

const ACTIONS = {
  init: { purpose: "making", argv: () => ["init", "--template="] },
  status: {
    purpose: "reading",
    argv: ({ paths }) => [
      "status",
      "--porcelain=v2",
      "--branch",
      "-z",
      "--ignore-submodules=all",
      ...after(paths),
    ],
  },
  add: { purpose: "writing", argv: ({ paths }) => ["add", ...after(needed(paths, "paths"))] },
  commit: { purpose: "reading", argv: ({ message }) => ["commit", "-m", needed(message, "message")] },
  log: {
    purpose: "reading",
    argv: ({ ref, count = USUAL_COUNT, paths }) => [
      ...["log", ...PLAIN, "-n", String(count), LOG_FORMAT],
      ...given(ref),
      ...after(paths),
    ],
  },
  diff: {
    purpose: "reading",
    argv: ({ staged, ref, paths }) => [
      ...["diff", ...PLAIN, "--ignore-submodules=all", ...(staged === true ? ["--cached"] : [])],
      ...given(ref),
      ...after(paths),
    ],
  },
  show: {
    purpose: "reading",
    argv: ({ ref = "HEAD", paths }) => ["show", ...PLAIN, ref, ...after(paths)],
  },
  branch: {
    purpose: "reading",
    argv: ({ name, ref }) =>
      name === undefined ? ["branch", "--list", BRANCH_FORMAT] : ["branch", name, ...given(ref)],
  },
  push: {
    purpose: "sending",
    argv: ({ remote = "origin", name }) => [
      ...["push", "--receive-pack=git-receive-pack", remote],
      needed(name, "name"),
    ],
  },
} as const satisfies Record<string, Action>;

export const GIT_ACTIONS = Object.keys(ACTIONS) as readonly GitAction[];

/** The command line of a call: what is decided about, and what runs. */
export function gitLine(call: GitCall): string {
  return lineOfWords(["git", ...argvOf(call)]);
}

/** Files are taken over by `add` alone: a commit takes what is staged. */
export function gitPurpose({ action }: GitCall): GitPurpose {
  return ACTIONS[action].purpose;
}

function argvOf(call: GitCall): readonly string[] {
  const { argv }: Action = ACTIONS[call.action];
  return argv(call);
}

function given(ref: string | undefined): readonly string[] {
  return ref === undefined ? [] : [ref];
}

function after(paths: readonly string[] | undefined): readonly string[] {
  return paths === undefined ? [] : ["--", ...paths];
}

function needed<Value>(value: Value | undefined, name: string): Value {
  if (value !== undefined) return value;
  throw new ToolFailure("invalid_arguments", `This action needs \`${name}\`.`);
}
