import { join } from "node:path";
import type { Watchdog } from "@toolkeep/core/policy";
import { changeState, directories, readState, type StateFile } from "@toolkeep/node/internal";
import {
  HOOK_CLIENTS,
  type HookCall,
  type HookClientName,
  type HookVerdict,
} from "../../../clients/hook-call.ts";

/** A client ran a command itself though the hook had put one in its place that runs in the sandbox. */
export interface DroppedAnswer {
  readonly client: HookClientName;
  /** When it was noticed, in milliseconds since the epoch. */
  readonly at: number;
  readonly sessionId: string;
  readonly callId: string;
}

/** Harmless wherever it runs. A client that runs it in the sandbox follows our answers again. */
export const TEST_CALL = "echo toolkeep-test-call";

/** A file that cannot be read may name any client. */
const ALL = HOOK_CLIENTS.map((client): DroppedAnswer => ({ client, at: 0, sessionId: "", callId: "" }));

/** The answers that clients dropped, and have not passed the test call since. */
export async function droppedAnswers(): Promise<readonly DroppedAnswer[]> {
  return readState(droppedFile());
}

function droppedFile(): StateFile<readonly DroppedAnswer[]> {
  const parse = (written: unknown) => {
    if (written === undefined) return [];
    return Array.isArray(written) && written.every(isDropped) ? written : ALL;
  };
  return { file: join(directories().state, "dropped-answers.json"), key: "dropped", parse };
}

/** Enough to keep a client asking. */
const MOST_KEPT = 100;

/** Durable when it returns. Each call has its own, so that a ticket that is taken late ends its own alarm alone. */
export async function addDroppedAnswer(one: DroppedAnswer): Promise<void> {
  await changeState(droppedFile(), (all) => [...all, one].slice(-MOST_KEPT));
}

/** Forgets a client's dropped answer after a ticket was taken: that of the test call, or late the one that was missed. */
export async function forgetDropped(taken: {
  readonly command: string;
  readonly sessionId: string;
  readonly callId: string;
}): Promise<void> {
  const isPassed = (one: DroppedAnswer) =>
    taken.sessionId.startsWith(`${one.client}.`) &&
    (taken.command === TEST_CALL || (taken.sessionId === one.sessionId && taken.callId === one.callId));
  if (!(await droppedAnswers()).some(isPassed)) return;
  await changeState(droppedFile(), (all) => all.filter((one) => !isPassed(one)));
}

/** Whether the commands of a client ask now instead of being confined. */
export async function hasDropped(client: HookClientName): Promise<boolean> {
  return (await droppedAnswers()).some((one) => one.client === client);
}

/** The command of a call, if it is the test call, which is confined all the same. */
export function isTestCall({ calls }: Pick<HookCall, "calls">): boolean {
  return calls.length === 1 && calls[0]?.tool === "bash" && calls[0].arguments["command"] === TEST_CALL;
}

/** The message for the model and the user. */
export function droppedText(client: HookClientName): string {
  return `Toolkeep: ${client} ran a command outside of the sandbox, though the hook had confined it. Until it follows the hook again, its commands ask. To test it, let it run \`${TEST_CALL}\`.`;
}

/** Asks in the journal too, where the reason is kept. */
export function askingSince(client: HookClientName): Watchdog {
  const reason = droppedText(client);
  return { name: "dropped-answer", evaluate: () => ({ action: "ask", reason }) };
}

/** A decision about a command that would have been confined: what would pass asks, or is refused where no user answers. */
export function askedInstead(
  { action, ...verdict }: HookVerdict,
  { canAsk, clientMode }: HookCall,
  client: HookClientName,
): HookVerdict {
  if (action === "deny" || action === "ask") return { action, ...verdict };
  const said = canAsk && clientMode.hasPerson && !clientMode.refusesAsks ? "ask" : "deny";
  return { action: said, decided: said, reason: droppedText(client).replace(/^Toolkeep: /, "") };
}

function isDropped(value: unknown): value is DroppedAnswer {
  const { client, at, sessionId, callId } = (value ?? {}) as Partial<Record<keyof DroppedAnswer, unknown>>;
  const isNamed = [sessionId, callId].every((one) => typeof one === "string");
  return isNamed && Number.isFinite(at) && HOOK_CLIENTS.some((one) => one === client);
}
