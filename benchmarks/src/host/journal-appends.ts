import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { encodeEvent, type JournalEntry, JsonText } from "@toolkeep/core/journal";
import { openSqliteStore } from "@toolkeep/sqlite";
import { alternatingRounds } from "./alternating-rounds.ts";
import { benchFolder } from "./with-io.ts";

const BATCHES = 50;

/** The same events in durable batches: bare inserts, and the journal. Both encode the events. */
export async function journalAppends(
  rounds: number,
  perBatch: number,
): Promise<ReadonlyMap<string, readonly number[]>> {
  const folder = benchFolder();
  const store = openSqliteStore({ path: join(folder.path, "../store") });
  const journal = store.journal("bench");
  const bare = bareInserts(join(folder.path, "../bare.db"));
  let seq = 0;
  let bareSeq = 0;
  try {
    return await alternatingRounds(
      [
        {
          name: "bare inserts",
          async run() {
            for (let batch = 0; batch < BATCHES; batch += 1) {
              bare.begin();
              for (let index = 0; index < perBatch; index += 1, bareSeq += 1)
                bare.insert(bareSeq, encodeEvent(bareSeq, 1_700_000_000_000, "t1", entryOf(bareSeq)));
              bare.commit();
            }
          },
        },
        {
          name: "journal",
          async run() {
            for (let batch = 0; batch < BATCHES; batch += 1) {
              for (let index = 0; index < perBatch; index += 1, seq += 1)
                journal.append(seq, 1_700_000_000_000, "t1", entryOf(seq));
              await journal.flush();
            }
          },
        },
      ],
      rounds,
    );
  } finally {
    await store.close();
    bare.close();
    folder.remove();
  }
}

function bareInserts(path: string) {
  const db = new DatabaseSync(path);
  db.exec(
    "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; CREATE TABLE events (seq INTEGER PRIMARY KEY, line TEXT)",
  );
  const insert = db.prepare("INSERT INTO events VALUES (?, ?)");
  return {
    begin: () => db.exec("BEGIN"),
    insert: (seq: number, line: string) => void insert.run(seq, line),
    commit: () => db.exec("COMMIT"),
    close: () => db.close(),
  };
}

/** About 316 bytes as a line. */
function entryOf(seq: number): JournalEntry {
  return {
    type: "call-start",
    callId: `c${seq}`,
    tool: "read",
    origin: "code/code",
    arguments: JsonText.of({ path: `/ws/src/folder/file-${seq}.ts`, offset: 10, limit: 200 }),
    effects: [{ capability: "fs.read", target: `/ws/src/folder/file-${seq}.ts`, known: "declared" }],
    allowedBy: "rules: fs.read /ws/** allow, of the project",
  };
}
