import { text } from "node:stream/consumers";
import type { Principal } from "@toolkeep/core";
import { visible } from "@toolkeep/core/internal";
import { readProject } from "../project/read-project.ts";
import { EXIT, usageError } from "../terminal/command-error.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { assertKnownTool, explainedCall } from "./explained-call.ts";
import { explanationLines, explanationRecord } from "./explanation-lines.ts";
import { typedCall } from "./typed-call.ts";

export interface ExplainOptions {
  readonly call: readonly string[];
  readonly tool?: string;
  readonly sandboxed?: boolean;
  readonly project?: string;
  readonly policy?: string;
  /** The user on whose behalf the call is made. */
  readonly as?: string;
  /** The groups of that user, or of a user without a name, with commas between them. */
  readonly group?: string;
  /** When the call is made. */
  readonly at?: string;
}

/** Shows the whole chain of the decision on one call. */
export async function explain(options: ExplainOptions, terminal: Terminal): Promise<number> {
  const { call, tool, sandboxed: isSandboxed = false, project: folder, policy: policyFile } = options;
  const at = options.at === undefined ? undefined : timeOf(options.at);
  if (tool !== undefined) assertKnownTool(tool);
  const typed = call.length === 1 && call[0] === "-" ? [await text(process.stdin)] : call;
  const project = await readProject({ cwd: terminal.cwd, folder, policyFile });
  for (const note of project.notes) terminal.note(note);
  const principal = assumedPrincipal(options, project.principal);
  const setting = { project, cwd: terminal.cwd, isSandboxed, principal, at };
  const parts = await explainedCall(typedCall(typed, tool), setting);
  const assumed = {
    ...(principal === undefined ? {} : { for: { user: principal.user, groups: principal.groups ?? [] } }),
    ...(at === undefined ? {} : { time: new Date(at).toISOString() }),
  };
  terminal.show(
    parts.map((part) => ({ ...explanationRecord(part, project), ...assumed })),
    [...assumedLines(principal, at), ...parts.flatMap((part) => explanationLines(part, project))],
  );
  return EXIT.ok;
}

/** Another user, who is a whole: of this user it has where it acts, and nothing else. */
function assumedPrincipal(
  { as, group }: Pick<ExplainOptions, "as" | "group">,
  { environment }: Partial<Principal>,
): Partial<Principal> | undefined {
  if (as === undefined && group === undefined) return undefined;
  const groups = (group ?? "").split(",").flatMap((name) => name.trim() || []);
  return {
    ...(as === undefined ? {} : { user: as }),
    ...(groups.length === 0 ? {} : { groups }),
    ...(environment === undefined ? {} : { environment }),
  };
}

function assumedLines(principal: Partial<Principal> | undefined, at: number | undefined): readonly string[] {
  const { user = "a user", groups = [] } = principal ?? {};
  const of = groups.length === 0 ? "without groups" : `of the group ${groups.join(" and ")}`;
  const who = principal === undefined ? [] : [`made for ${visible(`${user} ${of}`)}`];
  const when = at === undefined ? [] : [`at ${new Date(at).toISOString()}`];
  const assumed = [...who, ...when].join(", ");
  return assumed === "" ? [] : [`As if ${assumed}:`];
}

const TIME = /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2}(?::\d{2})?)(Z|[+-]\d{2}:\d{2})?)?$/;

/** A point in time, in UTC unless it names another zone. Milliseconds since the epoch. @throws CommandError */
function timeOf(text: string): number {
  const [, date = "", time = "00:00", zone = "Z"] = TIME.exec(text) ?? [];
  const at = Date.parse(`${date}T${time}${zone}`);
  // A day that its month does not have would be one of the next month.
  const isDay = !Number.isNaN(at) && new Date(Date.parse(`${date}T00:00Z`)).toISOString().startsWith(date);
  if (isDay) return at;
  throw usageError(
    `--at ${JSON.stringify(text)} is not a time.`,
    "Write a date, or a date and a time, in UTC or with a zone: 2026-12-24, 2026-12-24T18:30Z, 2026-12-24T18:30+01:00.",
  );
}
