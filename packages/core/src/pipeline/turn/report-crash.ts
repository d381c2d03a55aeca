import { errorText } from "../../contract/values/error.ts";
import { warnDeveloper } from "./developer-warning.ts";
import type { Turn } from "./turn.ts";

/** Which call of which tool. */
export interface CrashedCall {
  readonly id: string;
  readonly toolName: string;
}

/** Records what a tool threw, with its stack, and shows it to the developer unless an observer is told of errors. */
export function reportCrash({ id, toolName }: CrashedCall, error: unknown, turn: Turn): void {
  const { recorder, redactor, hooks } = turn.runtime;
  const stack = redactor.redact(errorText(error, "stack"));
  recorder.write(turn.id, { type: "tool-crash", callId: id, tool: toolName, stack });
  if (!recorder.isMuted && !hooks.hasErrorListeners)
    warnDeveloper(`The tool ${JSON.stringify(toolName)} crashed in the call ${id}.\n${stack}`, turn);
}
