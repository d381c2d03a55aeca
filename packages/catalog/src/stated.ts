import { readStatements } from "./statements/read-statements.ts";

/** What a client of a database does by its statements. */
export interface Stated {
  readonly does: readonly string[];
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  /** A database that is no file here. */
  readonly elsewhere: readonly string[];
}

/** A database in a file, which some programs take as an address: `file:app.db?mode=ro`. */
const IN_FILE = /^(?:file:(?:\/\/(?=\/))?)?(?<path>[^:?%]+)(?:\?[\w=&]*)?$/;

/** Reads statements, which may be in one of several languages. Databases in files are read by them, or written. */
export function readStated(
  statements: readonly string[],
  databases: readonly string[],
  dialect = "",
): Stated {
  const found = statements.flatMap((text) =>
    dialect.split(" ").map((language) => readStatements(text, language)),
  );
  const isRead = found.length > 0 && found.every(({ does }) => does.startsWith("db.read"));
  const paths = databases.flatMap((database) => IN_FILE.exec(database)?.groups?.["path"] ?? []);
  return {
    does: found.map(({ does }) => does),
    reads: [...found.flatMap(({ reads }) => reads), ...(isRead ? paths : [])],
    writes: isRead ? [] : paths,
    elsewhere: databases.filter((database) => database !== ":memory:" && !IN_FILE.test(database)),
  };
}
