import type { ToolEntry } from "../../../packages/tools/src/tool-search/tool-entry.ts";
import { type RandomSource, randomSource } from "../policy/random-source.ts";

const SYLLABLES = "ba be co da de fi ga ko la le ma mi no pa re ro sa ti tu vo".split(" ");
const VERBS = "get list create update delete send find search read write convert calculate track book".split(
  " ",
);
const VOCABULARY = 12_000;
const SAY_NOTHING = 40;

/** Tools of invented words, the same in every run. */
export function inventTools(count: number): readonly ToolEntry[] {
  const random = randomSource(7);
  return Array.from({ length: count }, (_, at) => inventTool(at, random));
}

/**
 * The given tools and additional ones, each with the name of one, the description of another and the parameters of a
 * third, so that they compete for the same search terms.
 */
export function recombineTools(tools: readonly ToolEntry[], count: number): readonly ToolEntry[] {
  const random = randomSource(11);
  const more = Array.from({ length: Math.max(0, count - tools.length) }, (_, at) => ({
    id: `recombined-${at}`,
    name: random.pick(tools).name,
    description: random.pick(tools).description,
    parameters: random.pick(tools).parameters,
  }));
  return [...tools.slice(0, count), ...more];
}

/** Queries for some of the tools, in terms of their descriptions. */
export function inventQueries(tools: readonly ToolEntry[], count: number): readonly string[] {
  const random = randomSource(13);
  return Array.from({ length: count }, () => {
    const first = `Could you please ${lowered(random.pick(tools).description)} for me?`;
    return random.below(2) === 0 ? first : `${first} Then ${lowered(random.pick(tools).description)}.`;
  });
}

function inventTool(at: number, random: RandomSource): ToolEntry {
  const verb = random.pick(VERBS);
  const subject = inventWords(3, random);
  return {
    id: `invented-${at}`,
    name: [verb, ...subject].join("_"),
    description: `${verb} the ${[...subject.slice(1), ...inventWords(4, random)].join(" ")}`,
    parameters: inventWords(10, random).join(" "),
  };
}

function inventWords(count: number, random: RandomSource): readonly string[] {
  return Array.from({ length: count }, () => inventWord(random));
}

/** Zipf's law: the second word is half as common as the first, and so on. The first few are stop words. */
function inventWord(random: RandomSource): string {
  const share = random.below(1_000_000) / 1_000_000;
  let rest = Math.floor(SAY_NOTHING * (VOCABULARY / SAY_NOTHING) ** share);
  let word = "";
  do {
    word += SYLLABLES[rest % SYLLABLES.length] ?? "";
    rest = Math.floor(rest / SYLLABLES.length);
  } while (rest > 0);
  return `${word}k`;
}

function lowered(text: string): string {
  return text.slice(0, 160).toLowerCase();
}
