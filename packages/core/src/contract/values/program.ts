/** The version of the tool contract this core understands. */
export const CONTRACT_VERSION = "1.0.0";

/** The version of this core, against which a tool's `requiredCoreVersion` is held. */
export const CORE_VERSION = "0.1.0";

/** The form of the events that this version writes. It grows when a field changes its meaning or goes. */
export const EVENT_VERSION = 1;

/** A program, as the audit log names it. */
export interface Program {
  readonly name: string;
  readonly version: string;
}

let current: Program = Object.freeze({ name: "@toolkeep/core", version: CORE_VERSION });

/** The program that this process is. */
export function currentProgram(): Program {
  return current;
}

/** Names the program that this process is, once, when it starts. */
export function nameProgram({ name, version }: Program): void {
  current = Object.freeze({ name, version });
}
