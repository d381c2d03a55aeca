import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { MARKERS, PACKAGES, PROGRAMS, RUNTIMES } from "./agent-programs.ts";
import { CommandError, EXIT } from "./command-error.ts";

const MOST_ANCESTORS = 64;

/** A process above this one: how it was started, and by which process. */
export interface Ancestor {
  readonly argv: readonly string[];
  readonly parent: number;
}

/**
 * The client whose model probably started this program; `undefined` if none is found. A model can remove variables and
 * leave its parents, so this stops what is done in passing and not what is done on purpose.
 */
export function agentAbove(
  environment: Readonly<Record<string, string | undefined>> = process.env,
  ancestors: Iterable<Ancestor> = ancestorsOf(process.ppid),
): string | undefined {
  for (const [name, client] of Object.entries(MARKERS))
    if (!["", "0", "false", undefined].includes(environment[name])) return client;
  for (const { argv } of ancestors) {
    const client = clientOf(argv);
    if (client !== undefined) return client;
  }
  return undefined;
}

function clientOf([program = "", ...args]: readonly string[]): string | undefined {
  const name = basename(program).replace(/\.exe$/i, "");
  const script = RUNTIMES.has(name) ? (args.find((arg) => !arg.startsWith("-")) ?? "") : "";
  const [, known] =
    Object.entries(PROGRAMS).find(
      ([one]) => one === name || one === basename(script).replace(/\.[cm]?js$/, ""),
    ) ?? [];
  if (known !== undefined) return known;
  if (PACKAGES.test(program) || PACKAGES.test(script)) return "an agent";
  const own = /(?:^|[/\\])(?:toolkeep|main\.js)$/.test(script === "" ? program : script);
  // What a hook put in the place of a model's command, and what a gateway serves.
  return own && ["exec", "gateway", "hook"].some((command) => args.includes(command))
    ? "an agent"
    : undefined;
}

/** The processes above, from the nearest on. Empty where the system does not tell. */
function* ancestorsOf(first: number): Generator<Ancestor> {
  let pid = first;
  for (let count = 0; pid > 1 && count < MOST_ANCESTORS; count += 1) {
    const found = ancestorAt(pid);
    if (found === undefined) return;
    yield found;
    pid = found.parent;
  }
}

function ancestorAt(pid: number): Ancestor | undefined {
  try {
    if (process.platform === "darwin") {
      const told = execFileSync("/bin/ps", ["-o", "ppid=,command=", "-p", String(pid)], { encoding: "utf8" });
      const [parent = "", ...argv] = told.trim().split(/\s+/);
      return { argv, parent: Number(parent) };
    }
    const argv = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").slice(0, -1);
    const [, parent] = /^PPid:\s*(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    return parent === undefined ? undefined : { argv, parent: Number(parent) };
  } catch {
    return undefined;
  }
}

/** A command as it was typed. */
interface TypedCommand {
  readonly options: Readonly<Record<string, unknown>>;
  readonly args: readonly string[];
}

const ALWAYS = () => true;
const unlessDry = ({ options }: TypedCommand) => options["dryRun"] !== true;
const ifWritten = ({ options }: TypedCommand) => options["write"] !== undefined;

/** The commands that decide about agents or allow them more, and when they do. */
const WIDENING: Readonly<Record<string, (typed: TypedCommand) => boolean>> = {
  "approvals approve": ALWAYS,
  "approvals answer": ALWAYS,
  // The inbox answers; without a terminal it only lists.
  approvals: ({ options }) => options["always"] !== true && process.stdin.isTTY === true,
  allow: unlessDry,
  ask: ALWAYS,
  deny: ALWAYS,
  pause: ({ args, options }) => args.length > 0 && options["end"] !== true,
  init: unlessDry,
  uninstall: unlessDry,
  trust: ALWAYS,
  "servers accept": ALWAYS,
  keep: ALWAYS,
  undo: ALWAYS,
  contain: ({ args }) => args[0] === "on" || args[0] === "grant",
  "policy import": ifWritten,
  "policy enable": ALWAYS,
  "policy disable": ALWAYS,
};

/** Refuses a command that decides about agents where an agent runs it, whatever the policy says. @throws CommandError */
export function refuseBeneathAgent(names: readonly string[], typed: TypedCommand): void {
  const command = names.join(" ");
  const widens = Object.hasOwn(WIDENING, command) ? WIDENING[command] : undefined;
  if (widens?.(typed) !== true) return;
  const client = agentAbove();
  if (client === undefined) return;
  throw new CommandError(
    `\`toolkeep ${command}\` decides what agents may do, and this one is run by ${client}.`,
    { exit: EXIT.denied, hint: "Run it yourself, in a terminal that was not opened by the agent." },
  );
}
