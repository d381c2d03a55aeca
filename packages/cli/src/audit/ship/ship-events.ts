import { open } from "node:fs/promises";
import { resolve } from "node:path";
import { ToolkeepError } from "@toolkeep/core";
import { decodeEvent } from "@toolkeep/core/journal";
import { withFileLock, writeOwnedFile } from "@toolkeep/node/internal";
import type { SqliteStore } from "@toolkeep/sqlite";
import { auditSettings } from "../../project/store/audit-settings.ts";
import { cursorFile, readCursor, recordEnds } from "../../project/store/ship-cursor.ts";
import { withStore } from "../../project/store/with-store.ts";
import { EXIT, usageError } from "../../terminal/command-error.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { addressOf, post } from "../evidence/checkpoint-targets.ts";
import { type Machine, thisMachine } from "../evidence/machine.ts";
import { eventsFrom, type SentEvent } from "./sent-events.ts";
import { SINK_FORMATS, type SinkFormat } from "./sink-formats.ts";

export interface ShipOptions {
  readonly to?: string | undefined;
  readonly format?: string | undefined;
  readonly store?: string | undefined;
}

/** Sends the events that were not sent yet. What was sent when the process ends may be sent again, under the same ids. */
export async function shipEvents(options: ShipOptions, terminal: Terminal): Promise<number> {
  const settings = await auditSettings(terminal.cwd);
  const { to = settings.sink, format: name = settings.format ?? "jsonl" } = options;
  if (to === undefined)
    throw usageError(
      "No place is named that events are sent to.",
      "Add --to FILE or --to https://…, or set `audit.sink` in the administrator's configuration.",
    );
  const format = formatOf(name);
  const send = senderTo(to, format, { cwd: terminal.cwd, from: thisMachine() });
  return withStore(
    terminal.cwd,
    async (store) => {
      const cursor = await cursorFile(store, { to, format: name });
      const report = await withFileLock(`${cursor}.lock`, () => shipFrom(store, cursor, send));
      terminal.show({ to, format: name, ...report }, [
        `${report.events} events of ${report.sessions} sessions sent`,
      ]);
      for (const id of report.changed)
        terminal.note(
          `The record of ${id} was changed, or has fewer events than were sent. Run \`toolkeep sessions verify ${id}\`.`,
        );
      return report.changed.length === 0 ? EXIT.ok : EXIT.failure;
    },
    options.store,
  );
}

type StoreToSend = Pick<SqliteStore, "heads" | "sessions" | "export">;

/** How many events one request has. */
const AT_ONCE = 200;

export type Send = (events: readonly SentEvent[]) => Promise<void>;

export interface ShipReport {
  readonly events: number;
  readonly sessions: number;
  /** Sessions whose record was changed, or ends before what was sent of it. */
  readonly changed: readonly string[];
}

/** The cursor is moved on after each part was accepted: what is sent once more has the same ids. */
export async function shipFrom(store: StoreToSend, cursor: string, send: Send): Promise<ShipReport> {
  const ends = recordEnds(store);
  const before = await readCursor(cursor);
  const reached = new Map(ends.map(({ key }) => [key, before[key] ?? 0]));
  const cut = ends.filter(({ key, nextSeq }) => (before[key] ?? 0) > nextSeq);
  const open = ends.filter(({ key, nextSeq }) => (before[key] ?? 0) < nextSeq);
  let events = 0;
  const changed = new Set(cut.map(({ sessionId }) => sessionId));
  for (const { sessionId, key } of open) {
    const parts = inParts(eventsFrom(store, sessionId, reached.get(key) ?? 0, decodeEvent));
    try {
      for await (const part of parts) {
        await send(part);
        events += part.length;
        reached.set(key, (part.at(-1)?.event.seq ?? 0) + 1);
        await writeOwnedFile(cursor, `${JSON.stringify(Object.fromEntries(reached))}\n`);
      }
    } catch (error) {
      // The others are sent all the same.
      if (!ToolkeepError.isInstance(error)) throw error;
      if (error.code === "journal_broken") changed.add(sessionId);
    }
  }
  return { events, sessions: open.length, changed: [...changed] };
}

async function* inParts(events: AsyncIterable<SentEvent>): AsyncGenerator<readonly SentEvent[]> {
  let part: SentEvent[] = [];
  for await (const event of events) {
    part.push(event);
    if (part.length < AT_ONCE) continue;
    yield part;
    part = [];
  }
  if (part.length > 0) yield part;
}

/** @throws CommandError */
export function formatOf(name: string): SinkFormat {
  const format = Object.hasOwn(SINK_FORMATS, name) ? SINK_FORMATS[name] : undefined;
  if (format !== undefined) return format;
  throw usageError(
    `--format ${JSON.stringify(name)} is not a format.`,
    `Use ${Object.keys(SINK_FORMATS).join(", ")}.`,
  );
}

export function senderTo(
  to: string,
  format: SinkFormat,
  { cwd, from }: { readonly cwd: string; readonly from: Machine },
): Send {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(to)) {
    const path = resolve(cwd, to);
    return (events) => append(path, format.lines(events, from));
  }
  const url = addressOf(to);
  return async (events) => {
    const body = format.body(events, from);
    if (body !== undefined) await post(url, body, format.contentType);
  };
}

/** Durable when it returns. A line that a killed process left half written is ended first. */
async function append(path: string, lines: readonly string[]): Promise<void> {
  if (lines.length === 0) return;
  const file = await open(path, "a+", 0o600);
  try {
    const { size } = await file.stat();
    const last = Buffer.alloc(1);
    if (size > 0) await file.read(last, 0, 1, size - 1);
    const isEnded = size === 0 || last.toString() === "\n";
    await file.writeFile(`${isEnded ? "" : "\n"}${lines.join("\n")}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
}
