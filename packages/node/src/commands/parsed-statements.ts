import { readParsed } from "@toolkeep/catalog";
import { unlessThrown } from "@toolkeep/core/internal";

/** A statement for PostgreSQL, and what it does. */
type ParsedStatement = readonly [statement: string, does: string];

/** Makes a tree of a text. Throws for what is none. */
export type ParseStatements = (text: string) => Parameters<typeof readParsed>[0];

let loading: Promise<ParseStatements | undefined> | undefined;

/** Of statements those that the parser of PostgreSQL proves to read. Without that parser there are none. */
export async function provedStatements(
  statements: readonly string[],
  load: () => Promise<ParseStatements | undefined> = loadParser,
): Promise<readonly ParsedStatement[]> {
  if (statements.length === 0) return [];
  const parse = await load();
  return statements.flatMap((statement): readonly ParsedStatement[] => {
    const does = parse && unlessThrown(() => readParsed(parse(statement)));
    return does === undefined ? [] : [[statement, does]];
  });
}

/** The parser is WebAssembly, and few lines need it. */
function loadParser(): Promise<ParseStatements | undefined> {
  loading ??= importParser().catch(() => undefined);
  return loading;
}

/** By a computed name: the package is optional, and bundlers would look for it. */
async function importParser(): Promise<ParseStatements> {
  const name = ["libpg", "query"].join("-");
  const parser: typeof import("libpg-query") = await import(
    /* webpackIgnore: true */ /* turbopackIgnore: true */ /* @vite-ignore */ name
  );
  await parser.loadModule();
  return parser.parseSync;
}
