import type { Tool as McpTool } from "@modelcontextprotocol/client";
import { checkDefinition, type DefinitionLook } from "./check-definition.ts";
import { definitionHash } from "./definition-hash.ts";
import { foreignNames, type KnownNames, posingFault } from "./foreign-names.ts";
import type { HeldTool } from "./mcp-source.ts";
import type { Pins } from "./pins.ts";

/** A tool as its server lists it, with what we found in it. */
export interface SeenTool {
  readonly definition: McpTool;
  readonly hash: string;
  readonly look: DefinitionLook;
}

const MOST_TOOLS = 10_000;
const NO_HASH = "";

/** What a server lists, by name. What was looked at before is not looked at again. */
export function seenTools(
  listed: readonly McpTool[],
  before: ReadonlyMap<string, SeenTool>,
): ReadonlyMap<string, SeenTool> {
  const seen = new Map<string, SeenTool>();
  const tooMany =
    listed.length > MOST_TOOLS ? [`its server has ${listed.length} tools, more than ${MOST_TOOLS}`] : [];
  for (const definition of listed.slice(0, MOST_TOOLS)) {
    const twin = seen.get(definition.name);
    if (twin !== undefined) seen.set(definition.name, refusedFor(twin, "its name is there twice"));
    else if (tooMany[0] !== undefined)
      seen.set(definition.name, refusedFor({ definition, hash: NO_HASH, look: NO_LOOK }, tooMany[0]));
    else seen.set(definition.name, seenTool(definition, before.get(definition.name)));
  }
  return seen;
}

const NO_LOOK: DefinitionLook = { refused: [], suspicious: [], words: new Set(), calledNames: [] };

function seenTool(definition: McpTool, before: SeenTool | undefined): SeenTool {
  const hash = hashOf(definition);
  if (before?.hash === hash && hash !== NO_HASH) return before;
  return { definition, hash, look: checkDefinition(definition) };
}

/** What is nested too deeply has none, and is refused for it. */
function hashOf(definition: McpTool): string {
  try {
    return definitionHash(definition);
  } catch {
    return NO_HASH;
  }
}

function refusedFor(tool: SeenTool, reason: string): SeenTool {
  return { ...tool, hash: NO_HASH, look: { ...tool.look, refused: [reason] } };
}

/** Why a tool is held back; `undefined` where nothing speaks against it. */
export function heldBack(
  { definition, hash, look }: SeenTool,
  pins: Pins,
  names: KnownNames,
): HeldTool | undefined {
  const held = (why: HeldTool["why"], reasons: readonly string[]): HeldTool => ({
    tool: definition.name,
    fingerprint: why === "refused" ? NO_HASH : hash,
    why,
    reasons,
    description: definition.description ?? "",
  });
  const posing = posingFault(definition.name, names);
  const refused = [...look.refused, ...(posing === undefined ? [] : [posing])];
  if (refused.length > 0) return held("refused", refused);
  const pin = pins.pinOf(definition.name);
  if (pin === undefined && pins.isFull)
    return held("refused", ["its server has shown more tools than are remembered"]);
  const isAccepted = pin?.hash === hash;
  if (isAccepted && pin.wasLookedAt) return undefined;
  const suspicious = [...look.suspicious, ...foreignNames(look, names)];
  if (pin !== undefined && !isAccepted) {
    return held("changed", ["what it says of itself is not what was accepted", ...suspicious]);
  }
  return suspicious.length > 0 ? held("suspicious", suspicious) : undefined;
}
