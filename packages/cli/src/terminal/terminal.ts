import { createInterface } from "node:readline/promises";
import { terminalText } from "@toolkeep/core/internal";
import { CommandError, EXIT, usageError } from "./command-error.ts";
import { type StyledLine, styledText } from "./styled-lines.ts";

/** The options that every command takes. */
export interface CommonOptions {
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly cwd?: string;
}

/** Where a command writes, and how it asks the user. */
export interface Terminal {
  readonly json: boolean;
  readonly cwd: string;
  /** Whether standard input and standard error are terminals, so that the user can be asked. */
  readonly isInteractive: boolean;
  /** Whether notes are omitted. */
  readonly isQuiet: boolean;
  /** Writes data to standard output: `value` as JSON with `--json`, `lines` otherwise. */
  show(value: unknown, lines: readonly (string | StyledLine)[]): void;
  /** Writes a note for people to standard error, unless `--quiet` is set. */
  note(text: string): void;
  /** Asks y/N on standard error. `false` if this is not an interactive terminal. */
  confirm(question: string): Promise<boolean>;
}

/** The terminal of this process. All text for people goes through `terminalText`. */
export function openTerminal(options: CommonOptions): Terminal {
  const { json = false, quiet = false, cwd = process.cwd() } = options;
  const isInteractive = process.stdin.isTTY === true && process.stderr.isTTY === true;
  return {
    json,
    cwd,
    isInteractive,
    isQuiet: quiet,
    show(value, lines) {
      const text = json ? printableJson(JSON.stringify(value, undefined, 2)) : styledText(lines);
      if (text !== "") process.stdout.write(`${text}\n`);
    },
    note(text) {
      if (!quiet) process.stderr.write(`${terminalText(text)}\n`);
    },
    confirm: (question) => (isInteractive ? askYesNo(question) : Promise.resolve(false)),
  };
}

/** Writes one value of several to standard output, as a line of JSON. */
export function writeJsonLine(value: unknown): void {
  process.stdout.write(`${printableJson(JSON.stringify(value))}\n`);
}

/** The same JSON, without characters that control a terminal or that it does not show. They stand in strings only. */
export function printableJson(text: string): string {
  return text.replaceAll(
    /[\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** @throws CommandError on Ctrl-C and Ctrl-D, which are no answer. */
async function askYesNo(question: string): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const closed = Promise.withResolvers<never>();
  lines.once("close", () => closed.reject(new CommandError("Interrupted.", { exit: EXIT.interrupted })));
  closed.promise.catch(() => {});
  try {
    const asked = lines.question(`${terminalText(question)} [y/N] `).catch(() => closed.promise);
    return /^y(es)?$/i.test((await Promise.race([asked, closed.promise])).trim());
  } catch (error) {
    // The question stands on an unfinished line.
    process.stderr.write("\n");
    throw error;
  } finally {
    lines.close();
  }
}

export interface Confirmation {
  readonly question: string;
  /** Whether `--yes` was given. */
  readonly yes: boolean | undefined;
  /** The error message if the user says no. */
  readonly refused: string;
}

/** Returns once the user has said yes. @throws CommandError otherwise. */
export async function confirmed({ question, yes, refused }: Confirmation, terminal: Terminal): Promise<void> {
  if (yes === true) return;
  // The details to confirm are notes, which --quiet omits.
  if (terminal.isQuiet && terminal.isInteractive)
    throw usageError(
      "--quiet hides the details that you would confirm.",
      "Run again without --quiet, or with --yes.",
    );
  if (await terminal.confirm(question)) return;
  if (terminal.isInteractive) throw new CommandError(refused, { exit: EXIT.denied });
  throw new CommandError("Confirmation is required, but this is not an interactive terminal.", {
    exit: EXIT.needsApproval,
    hint: "Run again with --yes.",
  });
}
