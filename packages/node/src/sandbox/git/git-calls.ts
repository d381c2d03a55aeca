import { resolve } from "node:path";

/** A git command of a line. */
export interface GitCall {
  readonly subcommand: string;
  readonly rest: readonly string[];
  /** Where it runs. */
  readonly folder: string;
  /** It names its repository by other means than its folder. */
  readonly isElsewhere: boolean;
}

/** The git commands among the commands of a line, in their order. */
export function gitCalls(commands: readonly (readonly string[])[], start: string): readonly GitCall[] {
  let folder = start;
  const calls: GitCall[] = [];
  for (const [name = "", ...args] of commands) {
    if (name === "cd" && args.length === 1) folder = resolve(folder, args[0] ?? "");
    if (/(?:^|\/)git$/.test(name)) calls.push(gitCall(args, folder));
  }
  return calls;
}

const VALUED = /^(?:-[Cc]|--(?:git-dir|work-tree|namespace|config-env|attr-source|super-prefix))$/;
const ELSEWHERE = /^--(?:git-dir|work-tree|namespace|bare)(?:=|$)/;

function gitCall(args: readonly string[], start: string): GitCall {
  let folder = start;
  let isElsewhere = false;
  let at = 0;
  for (; args[at]?.startsWith("-") === true; at += VALUED.test(args[at] ?? "") ? 2 : 1) {
    if (args[at] === "-C") folder = resolve(folder, args[at + 1] ?? "");
    isElsewhere ||= ELSEWHERE.test(args[at] ?? "");
  }
  return { subcommand: args[at] ?? "", rest: args.slice(at + 1), folder, isElsewhere };
}

/** What follows the name of a git command. */
export interface GitArgs {
  readonly options: readonly string[];
  /** With those after `--`. */
  readonly operands: readonly string[];
  /** Those after `--`. */
  readonly paths: readonly string[];
}

export function gitArgs(rest: readonly string[], valued: RegExp): GitArgs {
  const end = rest.includes("--") ? rest.indexOf("--") : rest.length;
  const options: string[] = [];
  const operands: string[] = [];
  for (let at = 0; at < end; at += 1) {
    const arg = rest[at] ?? "";
    (arg.startsWith("-") && arg !== "-" ? options : operands).push(arg);
    if (valued.test(arg)) at += 1;
  }
  const paths = rest.slice(end + 1);
  return { options, operands: [...operands, ...paths], paths };
}
