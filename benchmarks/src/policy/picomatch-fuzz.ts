import picomatch from "picomatch";
import { type RandomSource, randomSource } from "./random-source.ts";

/** One pattern to compare with picomatch, in an allow rule and in a deny rule. */
export interface ComparedPattern {
  matches(target: string, kind: "path"): boolean;
  mayMatch(target: string, kind: "path"): boolean;
}

export interface FuzzOutcome {
  readonly pairs: number;
  /** The number of pairs that matched, which shows that the test is not empty. */
  readonly matched: number;
  /** The number of pairs that a deny rule matches and an allow rule does not, as intended. */
  readonly wider: number;
  readonly differences: number;
  readonly examples: readonly string[];
}

const PATHS_PER_PATTERN = 20;
const MOST_EXAMPLES = 10;

/**
 * Compares random paths with random patterns of the language that both share: literals, `*`, `?`, `**` as a whole
 * segment, `{a,b}`. Three intended differences are not compared. If `**` comes first after the root or last after a
 * `*`, a deny rule also matches no segment. Line breaks match like any other character. The root has no segment that
 * braces could make optional.
 */
export function fuzzPaths(
  compile: (pattern: string) => ComparedPattern,
  { pairs, seed }: { readonly pairs: number; readonly seed: number },
): FuzzOutcome {
  const random = randomSource(seed);
  const examples: string[] = [];
  let [matched, wider, differences, done] = [0, 0, 0, 0];
  while (done < pairs) {
    const pattern = randomPattern(random);
    const isPeerMatch = picomatch(pattern, { dot: true });
    const ours = compile(pattern);
    const mayBeWider = /^\/\*\*\/|(?:^|[^*])\*(?:\/\*\*)+$/.test(pattern);
    for (let path = 0; path < PATHS_PER_PATTERN && done < pairs; path += 1) {
      const target = randomPath(random);
      const expected = isPeerMatch(target);
      const [allowed, forbidden] = [ours.matches(target, "path"), ours.mayMatch(target, "path")];
      done += 1;
      matched += Number(expected);
      wider += Number(forbidden && !expected);
      if (allowed === expected && (forbidden === expected || (mayBeWider && forbidden))) continue;
      differences += 1;
      if (examples.length < MOST_EXAMPLES) examples.push(`${pattern} on ${target}: ${expected} at picomatch`);
    }
  }
  return { pairs: done, matched, wider, differences, examples };
}

const NAMES = "a b ab aa a.b .a a.ts src .env ... ..a a-b a+b é a$ a,b a^ a~ a@ a# a% a= 😀".split(" ");
const WILD = "*.ts *.b a* *a* ? ?? *b a*b ?* *? .* *.? *.*".split(" ");
const CHOICES = "a b ab a.b .a a.ts src *.ts ? a*".split(" ");
const OPTIONAL_CHOICES = [...CHOICES, "*", ""];

function randomPath(random: RandomSource): string {
  const names = Array.from({ length: 1 + random.below(5) }, () => random.pick(NAMES));
  return root(random) + names.join("/");
}

function randomPattern(random: RandomSource): string {
  const segments = Array.from({ length: 1 + random.below(4) }, () => randomSegment(random));
  return root(random) + segments.join("/");
}

function root(random: RandomSource): string {
  return random.below(3) === 0 ? "" : "/";
}

function randomSegment(random: RandomSource): string {
  const die = random.below(10);
  if (die < 4) return random.pick(NAMES);
  if (die < 5) return "*";
  if (die < 6) return random.pick(WILD);
  if (die < 7) return braces(random, CHOICES) + random.pick(["", "", "b", "*"]);
  if (die < 8) {
    return (
      random.pick(["a", "*", ".", "?"]) + braces(random, OPTIONAL_CHOICES) + random.pick(["", "b", "*", "?"])
    );
  }
  return "**";
}

/** Without segments that may be empty, because picomatch removes the slash before them too. */
function braces(random: RandomSource, choices: readonly string[]): string {
  return `{${Array.from({ length: 2 + random.below(2) }, () => random.pick(choices)).join(",")}}`;
}
