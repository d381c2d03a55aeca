import type { GivenAnswer } from "@toolkeep/core";
import type { JournalEvent } from "@toolkeep/core/journal";
import type { World } from "./world.ts";

/** What a run left behind. */
export interface Ending {
  readonly world: World;
  readonly events: readonly JournalEvent[];
  readonly isBatch: boolean;
  readonly isKilled: boolean;
  /** It was cancelled or closed: whether an approved call happened is open. */
  readonly isStopped: boolean;
  /** The answers that `session.answer` has accepted. */
  readonly accepted: readonly GivenAnswer[];
}

/** What must be so however a run was cut. */
export function violationsIn(ending: Ending): readonly string[] {
  return [...closingErrors(ending), ...callErrors(ending), ...answerErrors(ending)];
}

function closingErrors({ events, isKilled }: Ending): readonly string[] {
  const last = events.at(-1)?.type;
  const missing = count(events, "session-open") - count(events, "session-close");
  return [
    ...(last === "session-close" ? [] : [`the last event is ${last}`]),
    ...(missing === 0 || (isKilled && missing === 1) ? [] : ["a session was not closed once"]),
  ];
}

function callErrors({ world, events, isBatch, isKilled }: Ending): readonly string[] {
  const wanted = events.flatMap((event) =>
    event.type === "turn-start" ? event.calls.map(({ id }) => id) : [],
  );
  // A call alone cannot be resumed: what a kill cut off stays cut off.
  if (!isBatch && !isKilled) wanted.push("c");
  const settled = events.flatMap((event) =>
    event.type === "call-end" || event.type === "call-refuse" ? event.callId : [],
  );
  const times = (id: string) => settled.filter((one) => one === id).length;
  const twice = [...world.effects].filter(([, happened]) => happened > 1);
  const left = isKilled ? [] : [...world.pending.keys()];
  return [
    ...wanted.filter((id) => times(id) !== 1).map((id) => `the call ${id} was settled ${times(id)} times`),
    ...[...new Set(settled)].filter((id) => times(id) > 1).map((id) => `${id} was settled twice`),
    ...twice.map(([key, happened]) => `${key} happened ${happened} times`),
    ...left.map((key) => `the arguments of ${key} are left`),
  ];
}

function answerErrors({ world, events, accepted, isStopped, isKilled, isBatch }: Ending): readonly string[] {
  const recorded = events.flatMap((event) => {
    if (event.type === "approval-answer") return { id: event.id, answer: event.answer as GivenAnswer };
    return event.type === "question-answer" ? { id: event.id, answer: event.answers } : [];
  });
  const errors: string[] = [];
  if (new Set(recorded.map(({ id }) => id)).size !== recorded.length)
    errors.push("one request has two answers");
  if (accepted.length > 1) errors.push("two answers were accepted");
  const [answer] = accepted;
  if (answer === undefined) return errors;
  const text = JSON.stringify(recorded[0]?.answer);
  if (text !== JSON.stringify(answer))
    errors.push(`${JSON.stringify(answer)} was accepted and ${text} recorded`);
  const isCut = isStopped || (isKilled && !isBatch);
  if (isCut || !("verdict" in answer)) return errors;
  const happened = world.effects.has(`interleaved/turn/${isBatch ? "c1" : "c"}`);
  if (happened !== (answer.verdict === "once"))
    errors.push(`${text} was accepted, and it happened: ${happened}`);
  return errors;
}

function count(events: readonly JournalEvent[], type: JournalEvent["type"]): number {
  return events.filter((event) => event.type === type).length;
}
