import { homedir } from "node:os";
import type { SimpleCommand } from "@toolkeep/core/ports";
import { parseCommand } from "@toolkeep/node/internal";
import type { HookCall } from "../../clients/hook-call.ts";
import {
  ALWAYS,
  BY_PARTS,
  CONSOLE,
  DATABASE,
  EDITS,
  GIVEN,
  HAS_CONSOLES,
  INTERPRETER,
  IS_DOCUMENT,
  QUESTION,
  SHELL,
  SSH_VALUES,
  WITHOUT_EDITOR,
} from "./typing-programs.ts";

/**
 * The command lines of a call that start a program which executes what is typed into it afterwards, and why they are
 * refused: a hook decides about what a command line says, and not about that.
 */
export async function typedInput({
  calls,
  cwd,
  isTyped,
}: Pick<HookCall, "calls" | "cwd" | "isTyped">): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  if (isTyped !== true) return found;
  for (const { tool, arguments: args } of calls) {
    const { command: line } = args;
    if (tool !== "bash" || typeof line !== "string" || IS_DOCUMENT.test(line)) continue;
    const program = await typedProgramIn(line, cwd);
    if (program !== undefined)
      found.set(
        line,
        `\`${program}\` takes commands while it runs, which no rule sees. ${adviceFor(program)}`,
      );
  }
  return found;
}

async function typedProgramIn(line: string, folder: string): Promise<string | undefined> {
  const parsed = await parseCommand(line, { home: homedir(), folder }).catch(() => undefined);
  for (const command of parsed?.commands ?? []) {
    const remote = remoteLine(command.argv);
    const program = remote === undefined ? typedProgram(command) : await typedProgramIn(remote, folder);
    if (program !== undefined) return program;
  }
  return undefined;
}

/** What `ssh` runs on another machine. Without a command, or with a terminal, it takes commands while it runs. */
function remoteLine([path = "", ...args]: readonly string[]): string | undefined {
  if (path.slice(path.lastIndexOf("/") + 1) !== "ssh") return undefined;
  let host = 0;
  while (args[host]?.startsWith("-") === true) {
    if (/^-[a-zA-Z]*t/.test(args[host] ?? "")) return undefined;
    host += SSH_VALUES.test(args[host] ?? "") ? 2 : 1;
  }
  return args.length > host + 1 ? args.slice(host + 1).join(" ") : undefined;
}

function adviceFor(program: string): string {
  if (program === "git") return "Give it a message with -m, or --no-edit.";
  return ALWAYS.has(program)
    ? "The user can run it in a terminal."
    : "Give it everything on the command line: a script, -c or -e.";
}

function typedProgram({ argv, redirects }: SimpleCommand): string | undefined {
  const [path = "", ...args] = argv;
  const program = path.slice(path.lastIndexOf("/") + 1);
  if (args.some((arg) => QUESTION.test(arg))) return undefined;
  if (ALWAYS.has(program) || isConsole(program, args)) return program;
  if (program === "git") return opensEditor(args) ? "git" : undefined;
  // A program that opens a terminal takes no notice of its input.
  if (redirects.some(({ access }) => access === "read")) return undefined;
  if (program === "sudo" || program === "doas") return args.every(isOption) ? program : undefined;
  if (SHELL.test(program) || INTERPRETER.test(program)) return hasProgram(args) ? undefined : program;
  if (!DATABASE.test(program) || args.some((arg) => GIVEN.test(arg))) return undefined;
  const operands = args.filter((arg) => !isOption(arg)).length;
  return (program === "sqlite3" && operands > 1) || (program === "redis-cli" && operands > 0)
    ? undefined
    : program;
}

function isOption(arg: string): boolean {
  return arg.startsWith("-");
}

/** Whether a shell or an interpreter has a script or code. `-i` continues after it. */
function hasProgram(args: readonly string[]): boolean {
  const at = args.findIndex((arg) => !isOption(arg));
  const options = at === -1 ? args : args.slice(0, at);
  if (options.some((arg) => arg === "-" || arg === "--interactive" || /^-[a-zA-Z]*[is]/.test(arg)))
    return options.some((arg) => /^-[a-zA-Z]*c/.test(arg));
  return (
    at !== -1 || options.some((arg) => /^-[a-zA-Z]*[cermp]|^--(?:eval|print|test|command|check)/.test(arg))
  );
}

function isConsole(program: string, args: readonly string[]): boolean {
  if (!HAS_CONSOLES.test(program)) return false;
  const operands = args.filter((arg) => !isOption(arg)).slice(0, 2);
  if (program === "gh" && operands[1] === "edit" && args.some((arg) => EDITS.test(arg))) return false;
  if (operands.some((arg) => CONSOLE.test(arg))) return true;
  if (/^(?:npm|pnpm|yarn)$/.test(program)) return args.length === 1 && /^(?:exec|x)$/.test(args[0] ?? "");
  if (!/^(?:docker|podman|kubectl)$/.test(program)) return false;
  if (!operands.some((arg) => /^(?:run|exec|start|debug)$/.test(arg))) return false;
  return args.some((arg) => /^-[a-zA-Z]*[it][a-zA-Z]*$|^--(?:interactive|tty|stdin)$/.test(arg));
}

/** Whether git opens an editor, or asks about each part. */
function opensEditor(args: readonly string[]): boolean {
  const at = args.findIndex((arg) => /^[a-z]/.test(arg));
  const [command = "", ...rest] = at === -1 ? [] : args.slice(at);
  const given = rest.some((arg) => WITHOUT_EDITOR.test(arg));
  if (/^(?:commit|merge|revert)$/.test(command) && !given) return true;
  if (command === "tag" && rest.some((arg) => /^(?:-[as]|--annotate|--sign)$/.test(arg)) && !given)
    return true;
  if (!/^(?:add|checkout|commit|reset|restore|stash|rebase|branch|config|notes|citool)$/.test(command))
    return false;
  const options = rest.slice(0, rest.indexOf("--") === -1 ? undefined : rest.indexOf("--"));
  return options.some((arg) => BY_PARTS.test(arg));
}
