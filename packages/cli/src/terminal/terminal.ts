import { createInterface } from "node:readline/promises";
import { terminalText } from "@toolkeep/core/internal";

/** What every command takes. */
export interface CommonOptions {
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly color?: boolean;
  readonly cwd?: string;
}

/** Where a command writes to, and whom it may ask. */
export interface Terminal {
  readonly json: boolean;
  readonly color: boolean;
  readonly cwd: string;
  /** Whether a person is there to be asked. */
  readonly isInteractive: boolean;
  /** Whether notes are left out. */
  readonly isQuiet: boolean;
  /** Data, to standard output: a value in JSON if that is wanted, its lines otherwise. */
  show(value: unknown, lines: readonly string[]): void;
  /** For people, to standard error. Left out when it is to be quiet. */
  note(text: string): void;
  /** Asks y/N on standard error. `false` where nobody is there. */
  confirm(question: string): Promise<boolean>;
}

/** The terminal of this process. Whatever it prints for people goes through `terminalText`. */
export function openTerminal(options: CommonOptions): Terminal {
  const { json = false, quiet = false, color = true, cwd = process.cwd() } = options;
  const isInteractive = process.stdin.isTTY === true && process.stderr.isTTY === true;
  return {
    json,
    cwd,
    isInteractive,
    isQuiet: quiet,
    color: color && process.stderr.isTTY === true && (process.env["NO_COLOR"] ?? "") === "",
    show(value, lines) {
      const text = json ? JSON.stringify(value, undefined, 2) : terminalText(lines.join("\n"));
      if (text !== "") process.stdout.write(`${text}\n`);
    },
    note(text) {
      if (!quiet) process.stderr.write(`${terminalText(text)}\n`);
    },
    confirm: (question) => (isInteractive ? askYesNo(question) : Promise.resolve(false)),
  };
}

async function askYesNo(question: string): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await lines.question(`${terminalText(question)} [y/N] `)).trim());
  } finally {
    lines.close();
  }
}
