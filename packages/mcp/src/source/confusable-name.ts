/** Letters of other alphabets that look like an ASCII letter. */
const LOOKALIKES: Readonly<Record<string, string>> = {
  а: "a",
  ɑ: "a",
  α: "a",
  в: "b",
  ь: "b",
  с: "c",
  ϲ: "c",
  ԁ: "d",
  ɗ: "d",
  е: "e",
  ҽ: "e",
  є: "e",
  ε: "e",
  ғ: "f",
  ɡ: "g",
  ց: "g",
  һ: "h",
  н: "h",
  հ: "h",
  і: "i",
  ι: "i",
  ı: "i",
  ɩ: "i",
  ј: "j",
  ϳ: "j",
  к: "k",
  κ: "k",
  ӏ: "l",
  ⅼ: "l",
  ǀ: "l",
  м: "m",
  ո: "n",
  п: "n",
  η: "n",
  о: "o",
  ο: "o",
  օ: "o",
  σ: "o",
  р: "p",
  ρ: "p",
  ԛ: "q",
  г: "r",
  ᴦ: "r",
  ѕ: "s",
  ꜱ: "s",
  т: "t",
  τ: "t",
  υ: "u",
  ս: "u",
  ц: "u",
  ѵ: "v",
  ν: "v",
  ԝ: "w",
  ѡ: "w",
  ω: "w",
  х: "x",
  χ: "x",
  у: "y",
  γ: "y",
  ү: "y",
  ʏ: "y",
  ᴢ: "z",
  "‐": "-",
  "‑": "-",
  "–": "-",
  "—": "-",
  "−": "-",
  "＿": "_",
};

/**
 * The plain name that users and models would read this one as: `reаd` with a Cyrillic letter reads as `read`.
 * `undefined` for a name that is plain itself, or that does not look like a plain one.
 */
export function imitatedName(name: string): string | undefined {
  if (isPlain(name)) return undefined;
  const seen = [...name.normalize("NFKC").toLowerCase()].map((char) => LOOKALIKES[char] ?? char).join("");
  return isPlain(seen) ? seen : undefined;
}

function isPlain(name: string): boolean {
  return /^[ -~]*$/.test(name);
}
