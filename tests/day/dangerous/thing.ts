import { bash, type ClientCall } from "../step.ts";

/** Something that must not happen before a person has been asked. It is decided and never executed. */
export interface Thing {
  readonly kind: string;
  readonly call: ClientCall;
  /** Harmless in the sandbox of a workspace, which hides the file or has neither the value nor the program. */
  readonly contained?: boolean;
}

export function lines(kind: string, commands: readonly string[]): readonly Thing[] {
  return commands.map((command) => ({ kind, call: bash(command) }));
}

/** They read what the sandbox of a workspace does not show. */
export function contained(things: readonly Thing[]): readonly Thing[] {
  return things.map((one) => ({ ...one, contained: true }));
}
