import type { Tool as McpTool } from "@modelcontextprotocol/client";
import { unlessThrown } from "@toolkeep/core/internal";
import { checkDefinition, type DefinitionLook } from "./check-definition.ts";
import { sizedHash } from "./definition-hash.ts";
import { foreignNames, type NamesInUse, posingError } from "./foreign-names.ts";
import type { ToolInReview } from "./mcp-source.ts";
import type { Pins, SeenTool } from "./pins.ts";

const MOST_TOOLS = 10_000;
/** The limit for all definitions of one server together: all of them are checked in one go. */
const MOST_DEFINITION_CHARACTERS = 16_000_000;
const NO_HASH = "";

/** What a server lists, by name. A definition is checked once. */
export function seenTools(
  listed: readonly McpTool[],
  before: ReadonlyMap<string, SeenTool>,
): ReadonlyMap<string, SeenTool> {
  const seen = new Map<string, SeenTool>();
  const tooMany =
    listed.length > MOST_TOOLS ? [`its server has ${listed.length} tools, more than ${MOST_TOOLS}`] : [];
  let characters = 0;
  for (const definition of listed.slice(0, MOST_TOOLS)) {
    const { hash, size } = hashOf(definition);
    characters += size;
    const twin = seen.get(definition.name);
    const error = tooMany[0] ?? (characters > MOST_DEFINITION_CHARACTERS ? TOO_MUCH_TEXT : undefined);
    if (twin !== undefined) seen.set(definition.name, refusedFor(twin, "its name is listed twice"));
    else if (error !== undefined)
      seen.set(definition.name, refusedFor({ definition, hash: NO_HASH, look: NO_LOOK }, error));
    else seen.set(definition.name, seenTool({ definition, hash }, before.get(definition.name)));
  }
  return seen;
}

const TOO_MUCH_TEXT = `its server's definitions have more than ${MOST_DEFINITION_CHARACTERS} characters`;
const NO_LOOK: DefinitionLook = { refused: [], suspicious: [], nameLikeWords: new Set(), calledNames: [] };

function seenTool({ definition, hash }: Omit<SeenTool, "look">, before: SeenTool | undefined): SeenTool {
  if (before?.hash === hash && hash !== NO_HASH) return before;
  return { definition, hash, look: checkDefinition(definition) };
}

/** A definition that is nested too deeply has no hash, and is refused. */
function hashOf(definition: McpTool): { readonly hash: string; readonly size: number } {
  return unlessThrown(() => sizedHash(definition)) ?? { hash: NO_HASH, size: 0 };
}

function refusedFor(tool: SeenTool, reason: string): SeenTool {
  return { ...tool, hash: NO_HASH, look: { ...tool.look, refused: [reason] } };
}

const LONGEST_DESCRIPTION = 20_000;

/** A tool that is not registered, with its definition. */
export function toolInReview(
  { definition, hash }: Pick<SeenTool, "definition" | "hash">,
  why: ToolInReview["why"],
  reasons: readonly string[],
): ToolInReview {
  return {
    tool: definition.name,
    fingerprint: why === "refused" ? NO_HASH : hash,
    why,
    reasons,
    description: (definition.description ?? "").slice(0, LONGEST_DESCRIPTION),
    definition,
  };
}

/** Why a tool is not registered; `undefined` if there is no objection. */
export function reviewOf(seen: SeenTool, pins: Pins, names: NamesInUse): ToolInReview | undefined {
  const { definition, hash, look } = seen;
  const inReview = (why: ToolInReview["why"], reasons: readonly string[]) => toolInReview(seen, why, reasons);
  const posing = posingError(definition.name, names);
  const refused = [...look.refused, ...(posing === undefined ? [] : [posing])];
  if (refused.length > 0) return inReview("refused", refused);
  const pin = pins.pinOf(definition.name);
  if (pin === undefined && pins.isFull)
    return inReview("refused", ["its server has shown more tools than are remembered"]);
  const isAccepted = pin?.hash === hash;
  if (isAccepted && pin.wasLookedAt) return undefined;
  const suspicious = [...look.suspicious, ...foreignNames(look, names)];
  if (pin !== undefined && !isAccepted) {
    const changed = inReview("changed", ["its definition is not the accepted one", ...suspicious]);
    const before = pins.definitionOf(definition.name);
    return before === undefined ? changed : { ...changed, before };
  }
  return suspicious.length > 0 ? inReview("suspicious", suspicious) : undefined;
}
