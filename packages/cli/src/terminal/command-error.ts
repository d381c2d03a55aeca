/** The exit codes of the program. */
export const EXIT = { ok: 0, failure: 1, usage: 2, denied: 3, needsApproval: 4, interrupted: 130 } as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Ends a command: the message says what happened and why, `hint` says what to do. */
export class CommandError extends Error {
  readonly exit: ExitCode;
  readonly hint: string | undefined;

  constructor(message: string, options: { readonly exit?: ExitCode; readonly hint?: string } = {}) {
    super(message);
    this.name = "CommandError";
    this.exit = options.exit ?? EXIT.failure;
    this.hint = options.hint;
  }
}

/** A command line that cannot be meant as it is written. */
export function usageError(message: string, hint?: string): CommandError {
  return new CommandError(message, { exit: EXIT.usage, ...(hint === undefined ? {} : { hint }) });
}
