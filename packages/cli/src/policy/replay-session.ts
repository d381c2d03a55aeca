import { existsSync } from "node:fs";
import type { Action } from "@toolkeep/core";
import { visible } from "@toolkeep/core/internal";
import { compilePolicy } from "@toolkeep/core/policy";
import { findSession } from "../audit/records/find-session.ts";
import { type Project, readProject } from "../project/read-project.ts";
import { withStore } from "../project/store/with-store.ts";
import { CommandError, EXIT } from "../terminal/command-error.ts";
import { counted } from "../terminal/counted.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { byOf, recordedName } from "./compared-files.ts";
import { type RecordedSession, recordedSession } from "./recorded-sessions.ts";

export interface ReplayOptions {
  readonly id: string;
  readonly store?: string | undefined;
  readonly project?: string | undefined;
  readonly policy?: string | undefined;
  readonly exitCode?: boolean;
}

/** A recorded call, and what is decided about it now. */
interface ReplayedCall {
  readonly callId: string;
  readonly call: string;
  /** What the policy decided, before a person was asked. */
  readonly was: Action;
  readonly wasBy: string;
  readonly now: Action;
  readonly nowBy: string;
  readonly reason?: string;
  /** A secret in the call is not in the record, so that what is decided now is decided about another call. */
  readonly isRedacted?: true;
}

/** Decides the calls of a session again, with the policy of its project as it is now. Nothing runs. */
export async function replaySession(options: ReplayOptions, terminal: Terminal): Promise<number> {
  const session = await withStore(
    terminal.cwd,
    (store) => recordedSession(store, findSession(store, options.id)),
    options.store,
  );
  const project = await projectOf(session, options, terminal.cwd);
  for (const note of project.notes) terminal.note(note);
  const calls = await replayedCalls(session, project);
  const different = calls.filter(({ was, now }) => was !== now);
  const changed = different.filter(({ isRedacted }) => isRedacted !== true);
  const { sessionId, roots } = session;
  terminal.show({ sessionId, project: project.root, roots, calls, changed: changed.length }, [
    ...changed.flatMap(changeLines),
    `${changed.length} of ${counted(calls.length, "call")} would be decided differently now.`,
  ]);
  const unsure = different.length - changed.length;
  if (unsure > 0)
    terminal.note(`${counted(unsure, "call")} not compared: the record has no secrets, and they had one.`);
  return options.exitCode === true && changed.length > 0 ? EXIT.failure : EXIT.ok;
}

/** The project that the session worked in, unless another one is named. */
async function projectOf(
  { sessionId, roots: [root] }: RecordedSession,
  { project, policy: policyFile }: ReplayOptions,
  cwd: string,
): Promise<Project> {
  if (project === undefined && root !== undefined && !existsSync(root))
    throw new CommandError(`The folder ${visible(root)} of this session does not exist any more.`, {
      hint: `Name a project: toolkeep sessions replay ${sessionId} --project DIR`,
    });
  return readProject({ cwd, folder: project ?? root, policyFile });
}

/** What the policy of a project decides about recorded calls, in the folders of their session. */
async function replayedCalls(
  { roots, calls }: RecordedSession,
  project: Pick<Project, "policy" | "root">,
): Promise<readonly ReplayedCall[]> {
  const workspace = roots.length === 0 ? [project.root] : roots;
  const policy = compilePolicy({ ...project.policy, variables: { workspace } });
  const replayed: ReplayedCall[] = [];
  for (const recorded of calls) {
    const { call, context, was, by: wasBy } = recorded;
    const decision = await policy.decide(call, context);
    const { action: now, reason } = decision;
    replayed.push({
      ...{ callId: call.id, call: recordedName(recorded), was, wasBy, now, nowBy: byOf(decision) },
      ...(reason === undefined ? {} : { reason }),
      ...(isRedacted(recorded) ? { isRedacted: true } : {}),
    });
  }
  return replayed;
}

const REPLACED = "[redacted:";

function isRedacted({ call: { args, effects } }: RecordedSession["calls"][number]): boolean {
  return JSON.stringify([args, effects]).includes(REPLACED);
}

function changeLines({ call, was, wasBy, now, nowBy, reason }: ReplayedCall): readonly string[] {
  return [
    `${was} -> ${now}  ${visible(call)}`,
    `  then by ${visible(wasBy)}`,
    `  now by ${visible(nowBy)}${reason === undefined ? "" : `: ${visible(reason)}`}`,
  ];
}
