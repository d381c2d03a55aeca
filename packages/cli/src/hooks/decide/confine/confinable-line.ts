import { homedir } from "node:os";
import { isAbsolute, join, posix } from "node:path";
import { PROGRAM_KINDS, wordsIn } from "@toolkeep/catalog/internal";
import { isLoopbackAddress, isWithin, joinCommand } from "@toolkeep/core/internal";
import type { SimpleCommand } from "@toolkeep/core/ports";
import { canonicalPath, parseCommand } from "@toolkeep/node/internal";
import { IN_BACKGROUND, OF_MACHINE, REMOTE_GIT, REQUESTING, RUNNERS, SERVING } from "./machine-programs.ts";

/** A command line that can run in the sandbox, and where. */
export interface ConfinableLine {
  readonly command: string;
  /** Canonical. */
  readonly cwd: string;
  /** What the client's own shell does before, so that the next command starts there. */
  readonly before: string;
}

interface LineOptions {
  /** The client's working directory. */
  readonly cwd: string;
  /** The canonical folders of the workspace. */
  readonly roots: readonly string[];
  /** Whether the next command starts in the directory in which this one ends. */
  readonly keepsFolder: boolean;
  /** Whether it runs in the place of the project, with the processes, the network and the files that others left. */
  readonly isInPlace?: boolean;
}

const MOST_BYTES = 100_000;
/** `cd` with a path that no shell changes, before the rest of the line. */
const LEADING_CD =
  /^\s*cd\s+(?:--\s+)?([\w./@+][\w./@+-]*|'[^'\\\n]+'|"[^"$`\\!\n]+")\s*(?:&&|;|\n)\s*(\S.*)$/s;
/** What moves a subshell moves nothing else. */
const IN_SUBSHELL = /\(\s*(?:cd|pushd)\b/g;
const ONLY_ENDS = /^[&|;)]/;
const MOVING = wordsIn(PROGRAM_KINDS.moving);

/**
 * The part of a line that can run in the sandbox. `undefined` for one that needs the machine itself, that leaves
 * something running, whose files others have to find, or that ends in another directory.
 */
export async function confinableLine(
  line: string,
  options: LineOptions,
): Promise<ConfinableLine | undefined> {
  const isText = line.isWellFormed() && !line.includes("\0") && line.trim() !== "";
  if (!isText || Buffer.byteLength(line) > MOST_BYTES) return undefined;
  const { isInPlace = false } = options;
  if (!isInPlace && sharesFiles(line, options.roots)) return undefined;
  const part = await placedLine(line, options);
  if (!options.roots.some((root) => isWithin(part.cwd, root))) return undefined;
  const parsed = await parseCommand(part.command, { home: homedir(), folder: part.cwd }).catch(
    () => undefined,
  );
  if (parsed === undefined) return undefined;
  if (!isInPlace && needsMachine(part.command, parsed.commands ?? [])) return undefined;
  const moves = (parsed.commands ?? []).filter(({ argv }) => MOVING.has(argv[0] ?? ""));
  const inSubshells = [...part.command.matchAll(IN_SUBSHELL)];
  return options.keepsFolder && moves.length > inSubshells.length ? undefined : part;
}

/** A line, and where it runs once the client has changed the directory. */
export async function placedLine(
  line: string,
  options: Pick<LineOptions, "cwd" | "keepsFolder">,
): Promise<ConfinableLine> {
  const moved = options.keepsFolder ? await movedLine(line, options) : undefined;
  return moved ?? { command: line, cwd: await canonicalPath(options.cwd), before: "" };
}

/** The client changes the directory itself, and the rest runs in it. */
async function movedLine(
  line: string,
  { cwd }: Pick<LineOptions, "cwd">,
): Promise<ConfinableLine | undefined> {
  const [, word = "", command = ""] = LEADING_CD.exec(line) ?? [];
  if (word === "" || ONLY_ENDS.test(command)) return undefined;
  const path = word.replace(/^(['"])(.*)\1$/s, "$2");
  const folder = await canonicalPath(isAbsolute(path) ? path : join(cwd, path)).catch(() => undefined);
  return folder === undefined ? undefined : { command, cwd: folder, before: `cd ${joinCommand([path])} && ` };
}

/** The sandbox has temporary files of its own, which the client and its user do not see. */
function sharesFiles(line: string, roots: readonly string[]): boolean {
  const others = roots.reduce((text, root) => text.replaceAll(root, ""), line);
  return /(?:^|[^\w.-])(?:\/var)?\/tmp(?:\/|\b)|\bTMPDIR\b|\bmktemp\b/.test(others);
}

/** Whether a command line needs more of the machine than a sandbox gives, whatever is allowed to it. */
function needsMachine(line: string, commands: readonly SimpleCommand[]): boolean {
  return IN_BACKGROUND.test(line) || commands.some(({ argv }) => isOfMachine(argv));
}

function isOfMachine([program = "", ...args]: readonly string[]): boolean {
  const name = posix.basename(program);
  if (OF_MACHINE.has(name)) return !(args.length === 1 && /^(?:-v|--version)$/.test(args[0] ?? ""));
  if (name === "git") return args.some((arg) => REMOTE_GIT.has(arg));
  // The machine's own servers cannot be reached from a sandbox.
  if (REQUESTING.has(name)) return args.some((arg) => isLoopbackAddress(arg.replace(/^--?[\w-]+=/, "")));
  return RUNNERS.has(name) && args.some((arg) => SERVING.test(arg));
}
