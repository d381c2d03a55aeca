import type { Tool as McpTool } from "@modelcontextprotocol/client";
import { harmlessText } from "@toolkeep/core/internal";
import { looksLike } from "../connection/elicitation/lookalikes.ts";
import { PATTERNS } from "./instruction-patterns.ts";

/** What was found in a tool's definition, independent of other tools. */
export interface DefinitionLook {
  /** Reasons why it is never used. */
  readonly refused: readonly string[];
  /** Reasons why it must be reviewed first. */
  readonly suspicious: readonly string[];
  /** Words in it that could be names of tools. */
  readonly nameLikeWords: ReadonlySet<string>;
  /** Names of tools that it tells the model about as if they were called. */
  readonly calledNames: readonly string[];
}

const MOST_TITLE_BYTES = 1_000;
const MOST_ANNOTATION_BYTES = 4_000;
const MOST_DESCRIPTION_BYTES = 20_000;
const MOST_SCHEMA_BYTES = 256_000;
const LONGEST_NAME = 256;
const DEEPEST = 200;
const LONGEST_PLACE = 200;
const MOST_REASONS = 10;

/** Text that addresses the model instead of describing a tool. */
interface FoundInstruction {
  readonly what: string;
  readonly excerpt: string;
}

const LONGEST_EXCERPT = 180;
/** Ordinary text does not consist of ligatures. */
const MOST_GROWTH = 3;

/**
 * Checks everything in a tool's definition, including schemas. Hidden characters and imitated names are refused; text
 * that addresses the model instead of describing the tool is suspicious.
 */
export function checkDefinition(tool: McpTool): DefinitionLook {
  const refused = [...sizeErrors(tool)];
  if (refused.length > 0) return { refused, suspicious: [], nameLikeWords: new Set(), calledNames: [] };
  const texts = textsOf(tool);
  refused.push(
    ...nameErrors(tool.name),
    ...texts
      .filter(({ text }) => harmlessText(text) !== text)
      .slice(0, MOST_REASONS)
      .map(({ path }) => `${harmlessText(path)} has hidden characters`),
  );
  const found = texts.flatMap(({ path, text }) =>
    instructionsIn(text).map(
      ({ what, excerpt }) => `${path} ${what}: ${JSON.stringify(harmlessText(excerpt))}`,
    ),
  );
  const prose = texts.map(({ text }) => text).join("\n");
  return {
    refused: refused.slice(0, MOST_REASONS),
    suspicious: found.slice(0, MOST_REASONS),
    nameLikeWords: new Set(prose.match(NAME_LIKE) ?? []),
    calledNames: [...prose.matchAll(WHEN_CALLED)]
      .map(([, name = ""]) => name)
      .filter((name) => /_./.test(name))
      .slice(0, MOST_REASONS),
  };
}

/** Compound names: `send_email`, `send-email`, `sendEmail`. A plain word cannot be recognized as a name. */
const NAME_LIKE = /\b[A-Za-z][a-z0-9]*(?:[_.-]+[A-Za-z0-9]+|[A-Z][a-z0-9]+)+/g;
/** Repeats are bounded, or end where no following part can begin, so matching time is bounded for any text. */
const WHEN_CALLED =
  /\b(?:when|whenever|before|after|if|once)\s+(?:the\s+)?[`'"]?([A-Za-z]\w{0,127})[`'"]?\s+(?:tool\s+)?(?:is|gets|was|are)\s+(?:called|used|invoked|run)/gi;

/** Checked first: everything after it takes time in proportion to the size. */
function sizeErrors(tool: McpTool): readonly string[] {
  const { name, title = "", description = "", annotations = {}, inputSchema, outputSchema } = tool;
  const errors: string[] = [];
  if (name === "" || name.length > LONGEST_NAME)
    errors.push(`its name must have 1 to ${LONGEST_NAME} characters`);
  if (Buffer.byteLength(title) > MOST_TITLE_BYTES)
    errors.push(`its title is longer than ${MOST_TITLE_BYTES} bytes`);
  if (Buffer.byteLength(description) > MOST_DESCRIPTION_BYTES)
    errors.push(`its description is longer than ${MOST_DESCRIPTION_BYTES} bytes`);
  if (sizeOf(annotations) > MOST_ANNOTATION_BYTES)
    errors.push(`its annotations are larger than ${MOST_ANNOTATION_BYTES} bytes`);
  for (const schema of [inputSchema, outputSchema]) {
    if (schema !== undefined && sizeOf(schema) > MOST_SCHEMA_BYTES)
      errors.push(`one of its schemas is larger than ${MOST_SCHEMA_BYTES} bytes, or nested too deeply`);
  }
  return errors;
}

function sizeOf(value: object): number {
  return isTooDeep(value) ? Number.POSITIVE_INFINITY : Buffer.byteLength(JSON.stringify(value));
}

/** Without recursion: later readers may have less stack than the nesting needs. */
function isTooDeep(value: object): boolean {
  let level: readonly unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > DEEPEST) return true;
    level = level.flatMap((one) => (typeof one === "object" && one !== null ? Object.values(one) : []));
  }
  return false;
}

function nameErrors(name: string): readonly string[] {
  const imitated = imitatedName(name);
  return imitated === undefined
    ? []
    : [`its name looks like ${JSON.stringify(imitated)} but is a different name`];
}

interface DefinitionString {
  readonly path: string;
  readonly text: string;
}

/** Every text in the definition, including schema keys. */
function textsOf({
  name,
  title,
  description,
  inputSchema,
  outputSchema,
  annotations,
}: McpTool): readonly DefinitionString[] {
  const texts: DefinitionString[] = [];
  const open: { path: string; value: unknown }[] = [
    { path: "inputSchema", value: inputSchema },
    { path: "outputSchema", value: outputSchema },
    { path: "annotations", value: annotations },
    { path: "name", value: name },
    { path: "title", value: title },
    { path: "description", value: description },
  ];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    const { path, value } = one;
    if (typeof value === "string") texts.push({ path, text: value.replaceAll("\r\n", "\n") });
    if (typeof value !== "object" || value === null) continue;
    for (const [key, inner] of Object.entries(value)) {
      if (!Array.isArray(value)) texts.push({ path, text: key });
      open.push({ path: pathWithin(path, key), value: inner });
    }
  }
  return texts;
}

/** The path of a text; only the end of a long path, since paths can be as long as the definition. */
function pathWithin(path: string, key: string): string {
  const whole = `${path}.${key}`;
  return whole.length > LONGEST_PLACE ? `…${whole.slice(-LONGEST_PLACE)}` : whole;
}

/**
 * The plain name that users and models would read this one as: `reаd` with a Cyrillic letter reads as `read`.
 * `undefined` for a name that is plain itself, or that does not look like a plain one.
 */
export function imitatedName(name: string): string | undefined {
  if (isPlain(name)) return undefined;
  const seen = looksLike(name);
  return isPlain(seen) ? seen : undefined;
}

function isPlain(name: string): boolean {
  return /^[ -~]*$/.test(name);
}

/** Instructions to the model that do not belong in a description. At most one of each kind. */
export function instructionsIn(text: string): readonly FoundInstruction[] {
  if (text.length < 8) return [];
  const whole = text.normalize("NFKC");
  if (whole.length > MOST_GROWTH * text.length)
    return [{ what: "has characters that expand to many others", excerpt: text.slice(0, LONGEST_EXCERPT) }];
  const plain = whole.replaceAll(/\s+/g, " ");
  return PATTERNS.flatMap(([what, pattern]) => {
    const found = pattern.exec(plain);
    return found === null
      ? []
      : [{ what, excerpt: plain.slice(Math.max(0, found.index - 20), found.index + LONGEST_EXCERPT) }];
  });
}
