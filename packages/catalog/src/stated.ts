import type { AboutWords } from "./reading.ts";
import { readStatements } from "./statements/read-statements.ts";

/** What a client of a database does by its statements. */
export interface Stated {
  readonly does: readonly string[];
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  readonly unproved: readonly string[];
  /** A database that is no file here. */
  readonly elsewhere: readonly string[];
}

/** A database in a file, which some programs take as an address: `file:app.db?mode=ro`. */
const IN_FILE = /^(?:file:(?:\/\/(?=\/))?)?(?<path>[^:?%]+)(?:\?[\w=&]*)?$/;

/** The client has no part in it, and no setting changes where a string ends. */
const SERVERS_ALONE = /^[^\\]+$/;
/** Nor does the client fill in a variable. */
const FED_ALONE = /^(?:[^\\:]|::)+$/;

/** Reads statements of one of several languages. Without one a client takes them from its input. */
export function readStated(
  statements: readonly string[],
  databases: readonly string[],
  { dialect, fed, parsed = [] }: AboutWords & { readonly dialect: string | undefined },
): Stated {
  const isFed = statements.length === 0 && dialect !== undefined && fed !== undefined;
  const isPostgres = dialect === "postgres";
  const known = new Map(isPostgres ? parsed : []);
  const found = (isFed ? [fed] : statements).flatMap((text) =>
    (dialect ?? "").split(" ").map((language) => {
      const { does, reads } = readStatements(text, language);
      return { text, reads, does: known.get(text) ?? does };
    }),
  );
  const isRead = found.length > 0 && found.every(({ does }) => does.startsWith("db.read"));
  const paths = databases.flatMap((database) => IN_FILE.exec(database)?.groups?.["path"] ?? []);
  const isParsable = isFed ? FED_ALONE : SERVERS_ALONE;
  const unproved = found.filter(
    ({ text, does }) => isPostgres && does === "db.drop" && isParsable.test(text),
  );
  return {
    does: found.map(({ does }) => does),
    reads: [...found.flatMap(({ reads }) => reads), ...(isRead ? paths : [])],
    writes: isRead ? [] : paths,
    unproved: unproved.map(({ text }) => text),
    elsewhere: databases.filter((database) => database !== ":memory:" && !IN_FILE.test(database)),
  };
}
