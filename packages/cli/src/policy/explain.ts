import { text } from "node:stream/consumers";
import { readProject } from "../project/read-project.ts";
import { EXIT } from "../terminal/command-error.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { explainedCall } from "./explained-call.ts";
import { explanationLines, explanationRecord } from "./explanation-lines.ts";
import { typedCall } from "./typed-call.ts";

export interface ExplainOptions {
  readonly call: readonly string[];
  readonly tool?: string;
  readonly sandboxed?: boolean;
  readonly project?: string;
  readonly policy?: string;
}

/** Shows the whole chain of the decision on one call. */
export async function explain(options: ExplainOptions, terminal: Terminal): Promise<number> {
  const { call, tool, sandboxed: isSandboxed = false, project: folder, policy: policyFile } = options;
  const typed = call.length === 1 && call[0] === "-" ? [await text(process.stdin)] : call;
  const project = await readProject({ cwd: terminal.cwd, folder, policyFile });
  for (const note of project.notes) terminal.note(note);
  const setting = { project, cwd: terminal.cwd, isSandboxed };
  const parts = await explainedCall(typedCall(typed, tool), setting);
  terminal.show(
    parts.map((part) => explanationRecord(part, project)),
    parts.flatMap((part) => explanationLines(part, project)),
  );
  return EXIT.ok;
}
