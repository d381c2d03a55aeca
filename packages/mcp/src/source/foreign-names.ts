import type { DefinitionLook } from "./check-definition.ts";

/** Who has which names, as far as one server is concerned. */
export interface NamesInUse {
  /** The server's own names of its own tools. */
  readonly own: ReadonlySet<string>;
  /** Names of tools elsewhere, and whose they are. */
  readonly elsewhere: ReadonlyMap<string, string>;
  /** The other servers. */
  readonly servers: readonly string[];
}

/** Why a tool that talks about other people's tools is suspicious. A server may well name its own. */
export function foreignNames(look: DefinitionLook, { own, elsewhere }: NamesInUse): readonly string[] {
  const reasons: string[] = [];
  for (const word of look.nameLikeWords) {
    const owner = own.has(word) ? undefined : elsewhere.get(word);
    if (owner !== undefined) reasons.push(`it names ${JSON.stringify(word)}, a tool of ${owner}`);
  }
  for (const name of look.calledNames) {
    if (own.has(name) || elsewhere.has(name)) continue;
    reasons.push(
      `it says what happens when ${JSON.stringify(name)} is called, which is no tool of its server`,
    );
  }
  return reasons.slice(0, 5);
}

/** Why a tool may not have its name: `a__search` is how others write the tool `search` of the server `a`. */
export function posingError(tool: string, { servers }: NamesInUse): string | undefined {
  const posed = servers.find((server) =>
    [`${server}__`, `mcp__${server}__`, `mcp_${server}_`].some((start) => tool.startsWith(start)),
  );
  return posed === undefined
    ? undefined
    : `its name could be taken for a tool of the server ${JSON.stringify(posed)}`;
}
