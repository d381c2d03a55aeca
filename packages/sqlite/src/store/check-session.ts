import { errorText, SessionAccount } from "@toolkeep/core/internal";
import type { ChainVerdict, StandingEvent } from "@toolkeep/core/journal";
import { CHUNK } from "./batches.ts";
import { inSnapshot } from "./database.ts";
import { headError, type ReadNote } from "./head-note.ts";
import { bytesError, type EventDatabase } from "./read-events.ts";
import type { SessionRow } from "./session-rows.ts";

/**
 * Verifies a whole session, some batches at a time: every batch is unchanged and follows the one before, nothing is
 * missing at the end, and the index agrees with the events. Yields after each part, so that the caller can let other
 * work run. The result is also right while the session is written to. `reached` is where it begins, and is moved on.
 */
export function* checkSession(
  database: EventDatabase,
  name: string,
  noted: () => ReadNote | undefined,
  reached: Reached = new Reached(),
): Generator<void, ChainVerdict> {
  for (;;) {
    try {
      // Before the snapshot: what is noted after it may be newer.
      const note = noted();
      const diagnostic = inSnapshot(database.db, () => checkChunk(database, name, reached, note));
      if (diagnostic === "whole") return reached.verdict();
      if (diagnostic !== undefined) return reached.verdict(diagnostic);
    } catch (error) {
      const diagnostic = `from event ${reached.before.firstSeq} on it cannot be read (${errorText(error)})`;
      return reached.verdict(diagnostic);
    }
    yield;
  }
}

/** A row takes about a hundred bytes. */
const MOST_TURN_ROWS = 50_000;

/** How far the verification is. */
export class Reached extends SessionAccount {
  /** How many rows the index of turns must have so far. */
  turnRows = 0;
  /** What these rows are: the first events of the batches of each turn. `undefined` once they are too many to keep. */
  turns: Map<string, number[]> | undefined = new Map();

  noteTurns(turns: ReadonlySet<string>, firstSeq: number): void {
    this.turnRows += turns.size;
    if (this.turnRows > MOST_TURN_ROWS) this.turns = undefined;
    for (const turn of turns) {
      const known = this.turns?.get(turn);
      if (known === undefined) this.turns?.set(turn, [firstSeq]);
      else known.push(firstSeq);
    }
  }
}

/** What is wrong with the next batches; `whole` when they were the last ones and everything is right. */
function checkChunk(
  database: EventDatabase,
  name: string,
  reached: Reached,
  noted: ReadNote | undefined,
): string | undefined {
  const session = database.sessions.byName(name);
  if (session === undefined) return "the session is gone";
  const noteTurns = (turns: ReadonlySet<string>, firstSeq: number) => {
    for (const turn of turns) if (!database.batches.isIndexed(session.id, turn, firstSeq)) return OTHER_INDEX;
    reached.noteTurns(turns, firstSeq);
    return undefined;
  };
  const chunk = database.batches.from(session.id, reached.before.firstSeq);
  for (const batch of chunk) {
    const changed = bytesError(database, session.id, batch);
    const diagnostic = reached.take(batch, session.name, changed, { noteTurns });
    if (diagnostic !== undefined) return diagnostic;
  }
  return chunk.length === CHUNK ? undefined : (endError(session, database, reached, noted) ?? "whole");
}

function endError(
  session: SessionRow,
  database: EventDatabase,
  reached: Reached,
  noted: ReadNote | undefined,
): string | undefined {
  const diagnostic = reached.endError(session) ?? headError(noted, session);
  if (diagnostic !== undefined) return diagnostic;
  const isSame =
    textOf(reached.standing.all()) === textOf(database.sessions.standingEvents(session.id)) &&
    database.batches.countIndexed(session.id) === reached.turnRows &&
    session.lastTurn === reached.extent.lastTurn;
  return isSame ? reached.rowError(session) : OTHER_INDEX;
}

const OTHER_INDEX = "its index does not agree with its events";

function textOf(standingEvents: readonly StandingEvent[]): string {
  return standingEvents
    .map(({ type, key, seq, firstSeq }) => JSON.stringify([type, key, seq, firstSeq]))
    .toSorted()
    .join("\n");
}
