import { type Capability, capabilityNamed, readCommand } from "@toolkeep/catalog";
import { isLoopbackAddress } from "../../contract/values/loopback.ts";
import { bareName, formsOf, systemName } from "../forms/command-forms.ts";
import { asksThisMachine } from "./local-requests.ts";
import {
  BRINGING,
  BRINGING_SUBCOMMANDS,
  FETCHING,
  LOCAL,
  LOCAL_FORMS,
  LOCAL_GIT,
  LOCAL_TOOLS,
  PROJECT_RUNNERS,
  RUNNING,
  RUNNING_OTHERS,
} from "./reaching-programs.ts";

interface Reach {
  /** It may send something off this machine. Whatever is not known to stay here may. */
  readonly leaves: boolean;
  /** It takes in content from outside. */
  readonly brings: boolean;
  /** Nothing is known of its program. */
  readonly isUnknown?: true;
}

/** Where a command reaches, by its words. */
export function reachOf(argv: readonly string[]): Reach {
  if (isLocalCommand(argv) || asksThisMachine(argv) || staysHere(argv)) return STAYS;
  if (brings(argv)) return BRINGS;
  return formsOf(argv).some(([name = ""]) => isKnown(bareName(name))) ? LEAVES : UNKNOWN;
}

/** Whether the catalogue knows every word of a command, and it only looks at something or writes files that it names. */
function staysHere(argv: readonly string[]): boolean {
  const known = readCommand(argv);
  return known?.isWhole === true && known.does.map(capabilityNamed).every(isForFilesHere);
}

function isForFilesHere(capability: Capability | undefined): boolean {
  return capability?.stays === true && /^(?:read|files|secret)$/.test(capability.kind);
}

function isKnown(name: string): boolean {
  const isOfProject = LOCAL_TOOLS.has(name) || PROJECT_RUNNERS.has(name);
  return (
    isOfProject || LOCAL.has(name) || isReachingProgram(name) || Object.hasOwn(BRINGING_SUBCOMMANDS, name)
  );
}

const STAYS: Reach = Object.freeze({ leaves: false, brings: false });
const LEAVES: Reach = Object.freeze({ leaves: true, brings: false });
const UNKNOWN: Reach = Object.freeze({ ...LEAVES, isUnknown: true });
const BRINGS: Reach = Object.freeze({ leaves: true, brings: true });

/** Whether a command is known to stay on this machine and to run nothing else. */
export function isLocalCommand(argv: readonly string[]): boolean {
  const name = systemName(argv[0] ?? "");
  const running = Object.hasOwn(RUNNING, name) ? RUNNING[name] : undefined;
  if (running !== undefined && argv.some((word, index) => index > 0 && running.test(word)))
    return name === "find" && runByFind(argv).every(isLocalCommand);
  if (name === "git") return isLocalGit(argv);
  if (Object.hasOwn(LOCAL_FORMS, name)) return LOCAL_FORMS[name]?.test(argv.slice(1).join(" ")) === true;
  if (!LOCAL.has(name)) return false;
  if (name.endsWith("awk")) return !argv.slice(1).some((word) => RUNS_IN_AWK.test(word.replaceAll("||", "")));
  return name !== "sed" || readCommand(argv)?.isWhole === true;
}

/** A command, a connection, a function by its name, or an option other than `-F` and `-v`, which may bring more code. */
const RUNS_IN_AWK = /[|@]|system|^-[^Fv]/;

/** The commands that `find` runs for what it finds. */
function runByFind(argv: readonly string[]): readonly (readonly string[])[] {
  const found: (readonly string[])[] = [];
  for (let at = 1; at < argv.length; at += 1) {
    if (!/^-(?:exec|ok)(?:dir)?$/.test(argv[at] ?? "")) continue;
    const end = argv.findIndex((word, index) => index > at && (word === ";" || word === "+"));
    found.push(argv.slice(at + 1, end === -1 ? undefined : end));
    at = end === -1 ? argv.length : end;
  }
  return found;
}

/** A setting that is given with the command may name a program to run. */
function isLocalGit(argv: readonly string[]): boolean {
  let at = 1;
  while (argv[at] === "-C" || argv[at] === "--no-pager") at += argv[at] === "-C" ? 2 : 1;
  return LOCAL_GIT.has(argv[at] ?? "");
}

/** Whether a word, as a program, reaches out or runs what it is given; with `fetches`, whether it fetches. */
export function isReachingProgram(word: string, what: "reaches" | "fetches" = "reaches"): boolean {
  const name = bareName(word);
  if (what === "fetches") return FETCHING.has(name);
  return BRINGING.has(name) || RUNNING_OTHERS.has(name) || /^python\d?(?:\.\d+)?$/.test(name);
}

/** Also within code that is given on the command line. What runs on this machine is not outside of it. */
const ADDRESS = /\b(?:https?|ftps?|sftp|ssh|git|wss?):\/\/[^\s"'`<>()]*/gi;

/** Whether a text names an address of another machine. */
export function namesAddress(text: string): boolean {
  return (text.match(ADDRESS) ?? []).some((address) => !isLoopbackAddress(address));
}

function brings(argv: readonly string[]): boolean {
  if (argv.some(namesAddress)) return true;
  return formsOf(argv).some(([name = "", ...rest]) => {
    if (BRINGING.has(name)) return true;
    if (/^python\d?(?:\.\d+)?$/.test(name) && rest[0] === "-m") return brings(rest.slice(1));
    if (name === "npx") return !LOCAL_TOOLS.has(rest.find((word) => !word.startsWith("-")) ?? "");
    const subcommands = Object.hasOwn(BRINGING_SUBCOMMANDS, name) ? BRINGING_SUBCOMMANDS[name] : undefined;
    if (name === "yarn" && rest.length === 0) return true;
    return subcommands?.has(rest[0] ?? "") === true;
  });
}
