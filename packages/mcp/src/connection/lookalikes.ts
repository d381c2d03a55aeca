/** Characters of other alphabets, by the ASCII character that they look like. */
const BY_LETTER: Readonly<Record<string, string>> = {
  "-": "‐‑–—−",
  _: "＿",
  a: "аɑαᴀ",
  b: "вьʙƀ",
  c: "сϲᴄ",
  d: "ԁɗᴅđ",
  e: "еҽєεᴇ",
  f: "ғꜰƒ",
  g: "ɡցɢ",
  h: "һнհʜħΗ",
  i: "іιıɩɪɨ",
  j: "јϳᴊ",
  k: "кκᴋ",
  l: "ӏⅼǀʟł",
  m: "мᴍ",
  n: "ոпηɴΝ",
  o: "оοօσᴏø",
  p: "рρᴘƥ",
  q: "ԛ",
  r: "гᴦʀɾ",
  s: "ѕꜱƽ",
  t: "тτᴛŧ",
  u: "υսцᴜʉ",
  v: "ѵνᴠ",
  w: "ԝѡωᴡш",
  x: "хχ",
  y: "уγүʏΥ",
  z: "ᴢƶ",
};

const LETTERS: ReadonlyMap<string, string> = new Map(
  Object.entries(BY_LETTER).flatMap(([letter, others]) => [...others].map((other) => [other, letter])),
);

/** A text as it looks: in lower case, with plain letters for those that look like them. */
export function looksLike(text: string): string {
  return [...text.normalize("NFKC")]
    .map((char) => LETTERS.get(char) ?? LETTERS.get(char.toLowerCase()) ?? char.toLowerCase())
    .join("");
}
