import { resolve } from "node:path";
import { expression, GIT_COMMANDS } from "@toolkeep/catalog/internal";

/** A git command of a line. */
export interface GitCall {
  /** Empty where there is none. */
  readonly subcommand: string;
  readonly rest: readonly string[];
  /** Where it runs. */
  readonly folder: string;
  /** The repositories that it names. */
  readonly stores: readonly string[];
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

const VALUED = expression(GIT_COMMANDS.valued);
const STORES = expression(GIT_COMMANDS.stores);
const ELSEWHERE = expression(GIT_COMMANDS.elsewhere);

/** One of them by its args. */
export function gitCall(args: readonly string[], start: string): GitCall {
  let folder = start;
  let at = 0;
  const stores: string[] = [];
  while (args[at]?.startsWith("-") === true) {
    const [arg = "", next = ""] = args.slice(at, at + 2);
    const store = STORES.exec(arg);
    if (arg === "-C") folder = resolve(folder, next);
    if (store !== null) stores.push(store[1] ?? next);
    at += VALUED.test(arg) ? 2 : 1;
  }
  const isElsewhere = args.slice(0, at).some((arg) => ELSEWHERE.test(arg));
  return { subcommand: args[at] ?? "", rest: args.slice(at + 1), folder, stores, isElsewhere };
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
