import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";

const HISTORIES = join(import.meta.dirname, "histories");

/** A made-up token with the shape of a real one. */
export const TOKEN = ["ghp", "0123456789abcdefghijABCDEFGHIJ012345"].join("_");

/** Where each client keeps its history in a home. */
const FOLDERS = { "claude-code": ".claude", codex: ".codex", "gemini-cli": ".gemini" } as const;

export type ClientWithHistory = keyof typeof FOLDERS | "opencode";

export const CLIENTS_WITH_HISTORY = [
  ...(Object.keys(FOLDERS) as (keyof typeof FOLDERS)[]),
  "opencode",
] as const;

/** The number of calls in the history of each client, without those that it repeats. */
export const CALLS: Readonly<Record<ClientWithHistory, number>> = {
  "claude-code": 25,
  codex: 19,
  "gemini-cli": 21,
  opencode: 20,
};

/** Writes the histories of clients into a home, `copies` conversations of each. */
export function layHistories(
  home: string,
  clients: readonly ClientWithHistory[] = CLIENTS_WITH_HISTORY,
  copies = 1,
): void {
  for (const client of clients) {
    if (client === "opencode") layDatabase(home, copies);
    else
      for (let copy = 0; copy < copies; copy += 1)
        layFiles(join(HISTORIES, client), join(home, FOLDERS[client]), { home, copy });
  }
}

interface Copy {
  readonly home: string;
  readonly copy: number;
}

function layFiles(from: string, to: string, copy: Copy): void {
  for (const path of readdirSync(from, { recursive: true, encoding: "utf8" })) {
    if (statSync(join(from, path)).isDirectory()) continue;
    const target = join(to, inCopy(path, copy));
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, inCopy(readFileSync(join(from, path), "utf8"), copy));
  }
}

/** The ids of conversations and calls differ in each copy. */
const IDS = /7c57e849|01a1e3e9|f5fb2f53|\b(?:toolu|call|ses|msg|prt)_|(?<=_)17948247/g;

function inCopy(text: string, { home, copy }: Copy): string {
  const placed = text.replaceAll("/home/ada", home).replaceAll("TOKEN-OF-GITHUB", TOKEN);
  if (copy === 0) return placed;
  return placed.replaceAll(IDS, (id) =>
    id.endsWith("_") ? `${id}${copy}x` : copy.toString(16).padStart(id.length, "0"),
  );
}

interface Rows {
  readonly schema: readonly string[];
  readonly session: readonly Record<string, SQLInputValue>[];
  readonly message: readonly Record<string, SQLInputValue>[];
  readonly part: readonly Record<string, SQLInputValue>[];
}

/** The database as the client leaves it: most of its rows are in the write-ahead log. */
function layDatabase(home: string, copies: number): void {
  const folder = join(home, ".local/share/opencode");
  const making = join(home, ".making");
  for (const one of [folder, making]) mkdirSync(one, { recursive: true });
  const text = readFileSync(join(HISTORIES, "opencode/rows.json"), "utf8");
  const database = new DatabaseSync(join(making, "opencode.db"), { enableForeignKeyConstraints: false });
  database.exec("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0");
  for (const statement of (JSON.parse(text) as Rows).schema) database.exec(statement);
  database.exec("PRAGMA wal_checkpoint; BEGIN");
  for (let copy = 0; copy < copies; copy += 1) {
    const rows = JSON.parse(inCopy(text, { home, copy })) as Rows;
    for (const table of ["session", "message", "part"] as const)
      for (const row of rows[table])
        database
          .prepare(
            `INSERT INTO ${table} (${Object.keys(row).join()}) VALUES (${Object.keys(row)
              .map(() => "?")
              .join()})`,
          )
          .run(...Object.values(row));
  }
  database.exec("COMMIT");
  // Copied while it is open: closing it would empty the log.
  for (const name of ["opencode.db", "opencode.db-wal"]) cpSync(join(making, name), join(folder, name));
  database.close();
  rmSync(making, { recursive: true });
}
