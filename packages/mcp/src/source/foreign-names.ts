import type { DefinitionLook } from "./check-definition.ts";

/** The names in use, as seen from one server. */
export interface NamesInUse {
  /** The server's own tools, by its own names. */
  readonly own: ReadonlySet<string>;
  /** Names of other tools, and whose they are. */
  readonly elsewhere: ReadonlyMap<string, string>;
  /** The other servers. */
  readonly servers: readonly string[];
}

/** Why a tool that mentions tools of other servers is suspicious. It may mention tools of its own server. */
export function foreignNames(look: DefinitionLook, { own, elsewhere }: NamesInUse): readonly string[] {
  const reasons: string[] = [];
  for (const word of look.nameLikeWords) {
    const owner = own.has(word) ? undefined : elsewhere.get(word);
    if (owner !== undefined) reasons.push(`it names ${JSON.stringify(word)}, a tool of ${owner}`);
  }
  for (const name of look.calledNames) {
    if (own.has(name) || elsewhere.has(name)) continue;
    reasons.push(
      `it describes what happens when ${JSON.stringify(name)} is called, which is not a tool of its server`,
    );
  }
  return reasons.slice(0, 5);
}

/** Why a name is refused: `a__search` is a common spelling of the tool `search` of the server `a`. */
export function posingError(tool: string, { servers }: NamesInUse): string | undefined {
  const posed = servers.find((server) =>
    [`${server}__`, `mcp__${server}__`, `mcp_${server}_`].some((start) => tool.startsWith(start)),
  );
  return posed === undefined
    ? undefined
    : `its name could be mistaken for a tool of the server ${JSON.stringify(posed)}`;
}
