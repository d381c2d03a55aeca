import { describe, expect, test } from "vitest";
import { mayHaveSecret, SECRET_HINTS } from "./secret-hint.ts";

/** What the hints mean, as a plain list: each from its first character to its last. */
const PLAIN =
  /---- ?BEGIN|kty\\*"|Private-Lines:|[Xx]-(?:[Aa]mz|[Gg]oog)-|[?&;]sig=|[?&;, ]Signature=|A[KS]IA|gh[pousr]_|github_pat_|glpat-|xox[abeprs]-|sk-|AIza|npm_|[rs]k_live_|eyJ|:\/\/[^\s/:@]{1,100}:[^\s/@]{3,200}@/;

/** Parts of the hints, so that many texts have one, and more have nearly one. */
const PIECES = [
  ...'-_=@:;&?,/ AKSIABEGINJeyzasgikprt\\"\n',
  ...[
    "----",
    "---- ",
    "BEGIN",
    "kty",
    'kty"',
    "Private",
    "Private-",
    "Lines:",
    "X-",
    "x-",
    "Amz",
    "amz",
    "Goog",
  ],
  ...[
    "goog-",
    "sig",
    "?sig",
    "Signature",
    "&Signature",
    "IA",
    "AKI",
    "ASIA",
    "gh",
    "ghp",
    "github",
    "_pat",
    "glpat",
  ],
  ...[
    "xox",
    "xoxb",
    "sk",
    "AI",
    "Iz",
    "za",
    "npm",
    "rk",
    "_live",
    "_live_",
    "ey",
    "eyJ",
    "://",
    "user",
    ":pw",
    ":pass@",
  ],
  ..."é中🍵",
  ...["a".repeat(99), "b".repeat(198)],
];

/** The same texts in every run. */
function* texts(count: number): Generator<string> {
  let seed = 42;
  const next = (below: number) => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return (seed >>> 8) % below;
  };
  for (let made = 0; made < count; made += 1) {
    let text = "";
    for (let left = next(9); left >= 0; left -= 1) text += PIECES[next(PIECES.length)];
    yield text;
  }
}

/** The first text on which two verdicts differ. */
function difference(verdict: (text: string) => boolean, count: number): string | undefined {
  for (const text of texts(count)) if (verdict(text) !== PLAIN.test(text)) return text;
  return undefined;
}

const RUNS = Number(process.env["TOOLKEEP_RUNS"] ?? 200_000);

test("a hint found by its rarest character gives the verdict of the plain list", { timeout: 600_000 }, () => {
  expect(difference(mayHaveSecret, RUNS)).toBeUndefined();
});

describe("the comparison notices a hint that is missing", () => {
  test.each(SECRET_HINTS)("%s", (hint) => {
    const fewer = new RegExp(SECRET_HINTS.filter((one) => one !== hint).join("|"));
    expect(difference((text) => fewer.test(text), 200_000)).toBeDefined();
  });
});

test.each([
  ["://u:abc@", true],
  ["://u:ab@", false],
  [`://${"u".repeat(100)}:${"p".repeat(200)}@`, true],
  [`://${"u".repeat(101)}:${"p".repeat(200)}@`, false],
  [`://${"u".repeat(100)}:${"p".repeat(201)}@`, false],
  ["://u:a:b:c@", true],
  ["://u/x:abc@", false],
  ["://u x:abc@", false],
])("a password in an address has the same limits: %s", (text, verdict) => {
  expect([mayHaveSecret(text), PLAIN.test(text)]).toEqual([verdict, verdict]);
});

test("a text without hints takes a small part of the time that the plain list takes", () => {
  const text = `${"a line of code (with some signs): `left[0] = right.at(2) ?? none;`\n".repeat(40)}|${"-".repeat(1_000)}|`;
  const ratios = Array.from(
    { length: 9 },
    () => cpuOf(() => PLAIN.test(text)) / cpuOf(() => mayHaveSecret(text)),
  );
  // About 20 where it was measured.
  expect(ratios.toSorted((a, b) => a - b)[4]).toBeGreaterThan(4);
});

function cpuOf(act: () => unknown): number {
  const { user, system } = process.threadCpuUsage();
  for (let run = 0; run < 1_000; run += 1) act();
  const now = process.threadCpuUsage();
  return now.user - user + (now.system - system) + 1;
}
