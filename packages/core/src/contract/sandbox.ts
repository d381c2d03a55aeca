import type { Command, RunningCommand } from "./io.ts";
import type { RequirementSet } from "./requirements.ts";

/** What the walls around commands were proven to hold when they were probed. */
export type SandboxGrade = "none" | "files" | "files-and-network";

/** Port: the operating system's walls around a command. */
export interface Sandbox {
  readonly grade: SandboxGrade;
  /** Starts the command with nothing in reach but what the requirements name. */
  start(command: Command, requires: RequirementSet): Promise<RunningCommand>;
}
