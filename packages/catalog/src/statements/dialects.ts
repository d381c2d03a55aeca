import { LISTS } from "./dialect-lists.ts";
import table from "./dialects.json" with { type: "json" };
import { type Lexical, lexiconOf } from "./tokens.ts";

type Lists = Readonly<Record<(typeof LISTS)[number], ReadonlySet<string>>>;

/** A language of databases. */
export interface Dialect extends Lists {
  readonly isScript: boolean;
  /** Finds one part of a text after the other. */
  readonly lexicon: RegExp;
  /** What a text must not have anywhere. */
  readonly never: RegExp | undefined;
  /** Lines that are commands of the client and only look. The first character is that of every command. */
  readonly commands: RegExp | undefined;
  /** Names of tables that are files. */
  readonly extensions: RegExp | undefined;
  /** Statements that change something and delete nothing: the words outside of parentheses. */
  readonly changes: readonly RegExp[];
}

type DialectEntry = Lexical & { readonly [Name in (typeof LISTS)[number]]?: string } & {
  readonly [Name in "never" | "commands" | "extensions"]?: string;
} & { readonly changes?: readonly string[] };

const entries = table as unknown as Readonly<Record<string, DialectEntry>>;
const known = new Map<string, Dialect>();

/** A language by its name in `dialects.json`; `undefined` if it is not there. */
export function dialectNamed(name: string): Dialect | undefined {
  const entry = Object.hasOwn(entries, name) ? entries[name] : undefined;
  if (entry === undefined) return undefined;
  const dialect = known.get(name) ?? dialectOf(entry);
  known.set(name, dialect);
  return dialect;
}

function dialectOf(entry: DialectEntry): Dialect {
  const common = entry.isScript === true ? undefined : entries["common"];
  const words = (list: (typeof LISTS)[number]) =>
    `${common?.[list] ?? ""} ${entry[list] ?? ""}`.split(" ").filter((word) => word !== "");
  const expression = (source: string | undefined) =>
    source === undefined ? undefined : new RegExp(source, "mu");
  return {
    ...(Object.fromEntries(LISTS.map((list) => [list, new Set(words(list))])) as unknown as Lists),
    isScript: entry.isScript === true,
    lexicon: lexiconOf(entry),
    never: expression(entry.never),
    commands: expression(entry.commands),
    extensions: expression(entry.extensions),
    changes: (entry.changes ?? common?.changes ?? []).map((source) => new RegExp(source, "u")),
  };
}
