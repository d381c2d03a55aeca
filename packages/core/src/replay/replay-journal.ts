import type { ToolResult } from "../contract/call/result.ts";
import type { Principal } from "../contract/people/principal.ts";
import type { ToolCall } from "../contract/stages/call.ts";
import type { JournalEvent } from "../contract/store/event.ts";
import type { Steps } from "../contract/store/steps.ts";
import type { Journal } from "../contract/store/store.ts";
import { canonicalJson } from "../contract/values/json-text.ts";
import { RecordedPrincipals } from "../journal/recorded-principals.ts";
import { TurnReading } from "../pipeline/record/turn-record.ts";
import { Divergence, RecordedSteps } from "./recorded-steps.ts";

/** What a replay needs of a session: it is opened with the recorded steps, so nothing executes. */
export interface ReplayingSession {
  run(
    calls: readonly ToolCall[],
    options: { readonly id: string; readonly principal?: Principal },
  ): Promise<{ readonly results: readonly (ToolResult | undefined)[] }>;
}

/** What a replay found. */
export interface ReplayReport {
  /** The recorded results, emitted again, in the order of their calls. */
  readonly results: readonly ToolResult[];
  readonly differences: readonly ReplayDifference[];
}

/** A call that today would not give what was recorded. */
export interface ReplayDifference {
  readonly turn: string;
  readonly callId: string;
  readonly recorded: ToolResult | undefined;
  readonly replayed: ToolResult | undefined;
  readonly diagnostic: string;
}

interface RecordedTurn {
  readonly reading: TurnReading;
  readonly calls: Map<string, ToolCall>;
  /** On whose behalf it ran. */
  principal?: Principal | undefined;
}

/** Steps for every turn of a journal that answer from the record and execute nothing. */
export async function recordedSteps(journal: Journal): Promise<(turn: string) => Steps> {
  const turns = await readTurns(journal);
  return (turn) => new RecordedSteps(turns.get(turn)?.reading ?? new TurnReading());
}

/** Sends recorded calls through the pipeline again, executing nothing, and compares their redacted outcomes. */
export async function replayJournal(
  journal: Journal,
  open: (ports: { readonly steps: (turn: string) => Steps }) => Promise<ReplayingSession>,
): Promise<ReplayReport> {
  const turns = await readTurns(journal);
  const session = await open({
    steps: (turn) => new RecordedSteps(turns.get(turn)?.reading ?? new TurnReading()),
  });
  const results: ToolResult[] = [];
  const differences: ReplayDifference[] = [];
  for (const [turn, { reading, calls, principal }] of turns) {
    const requests = [...calls.values()];
    const replayed = await replayTurn(session, requests, {
      id: turn,
      ...(principal === undefined ? {} : { principal }),
    });
    for (const [index, { id }] of requests.entries()) {
      const recorded = reading.done.get(id)?.result;
      if (recorded !== undefined) results.push(recorded);
      const again = replayed.results[index];
      const diagnostic = replayed.diagnostic ?? (same(recorded, again) ? undefined : "the result differs");
      if (diagnostic !== undefined)
        differences.push({ turn, callId: id, recorded, replayed: again, diagnostic });
    }
  }
  return { results, differences };
}

async function replayTurn(
  session: ReplayingSession,
  calls: readonly ToolCall[],
  options: { readonly id: string; readonly principal?: Principal },
) {
  try {
    const { results } = await session.run(calls, options);
    return { results, diagnostic: undefined };
  } catch (error) {
    if (!(error instanceof Divergence)) throw error;
    return { results: [], diagnostic: error.message };
  }
}

async function readTurns(journal: Journal): Promise<Map<string, RecordedTurn>> {
  const turns = new Map<string, RecordedTurn>();
  const principals = new RecordedPrincipals();
  for await (const event of journal.read()) {
    principals.add(event);
    if (event.turn === "") continue;
    const turn = turns.get(event.turn) ?? { reading: new TurnReading(), calls: new Map<string, ToolCall>() };
    turns.set(event.turn, turn);
    turn.reading.add(event);
    turn.principal ??= principals.of(event.turn);
    addCall(turn.calls, event);
  }
  return turns;
}

/** Calls in the order the model made them; those that tools made inside others are not made again. */
function addCall(calls: Map<string, ToolCall>, event: JournalEvent): void {
  if (event.type === "turn-start")
    for (const { id, name } of event.calls) calls.set(id, { id, name, arguments: {} });
  if (event.type !== "call-start" && event.type !== "call-refuse") return;
  const isNested = [...calls.keys()].some((id) => event.callId.startsWith(`${id}/`));
  if (isNested) return;
  const raw = event.arguments.value;
  const args = typeof raw === "object" && raw !== null ? (raw as Record<string, unknown>) : String(raw);
  calls.set(event.callId, { id: event.callId, name: event.tool, arguments: args });
}

function same(recorded: ToolResult | undefined, replayed: ToolResult | undefined): boolean {
  return canonicalJson(recorded) === canonicalJson(replayed);
}
