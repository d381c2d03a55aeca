import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { encodeText } from "../request/encode-text.ts";
import { withoutSecrets } from "./without-secrets.ts";

const clean = (text: string, secrets: readonly string[]) => withoutSecrets(secrets)(text);

const SECRET = "k/e+y='(1)*\"\\ ~<&>%41";
const escaped = (text: string, write: (code: number) => string) =>
  [...text].map((char) => (/\w/.test(char) ? char : write(char.codePointAt(0) as number))).join("");
const hex = (code: number, digits: number) => code.toString(16).padStart(digits, "0");

describe("a credential", () => {
  test.each<[string, string]>([
    ["as it is", SECRET],
    ["as a piece of an address", encodeURIComponent(SECRET)],
    ["as we write it into an address", encodeText(SECRET)],
    [
      "with small letters in its escapes",
      encodeText(SECRET).replaceAll(/%\w\w/g, (code) => code.toLowerCase()),
    ],
    ["in a form", new URLSearchParams({ a: SECRET }).toString().slice(2)],
    ["in JSON", JSON.stringify(SECRET).slice(1, -1)],
    ["in JSON that escapes slashes", JSON.stringify(SECRET).slice(1, -1).replaceAll("/", "\\/")],
    ["in JSON of letters alone", escaped(SECRET, (code) => `\\u${hex(code, 4)}`)],
    [
      "in HTML",
      SECRET.replaceAll("&", "&amp;")
        .replaceAll("<", "&lt;")
        .replaceAll(">", "&gt;")
        .replaceAll('"', "&quot;")
        .replaceAll("'", "&#39;"),
    ],
    ["in HTML by numbers", escaped(SECRET, (code) => `&#x${hex(code, 2)};`)],
    ["escaped twice", encodeURIComponent(encodeURIComponent(SECRET))],
    [
      "in an address within JSON within JSON",
      JSON.stringify(JSON.stringify({ at: `https://a.test/?k=${encodeURIComponent(SECRET)}` })),
    ],
  ])("is taken out %s", (_, form) => {
    const cleaned = clean(`before ${form} after ${form}.`, [SECRET]);
    expect(cleaned.startsWith("before ")).toBe(true);
    expect(cleaned).toMatch(/\[credential\].* after .*\[credential\].*\.$/);
    expect(cleaned).not.toContain(form);
  });

  test("is taken out in any mixture of spellings, and nothing else is", () => {
    const spelled = (char: string, how: number) => {
      const code = char.codePointAt(0) as number;
      return [char, `%${hex(code, 2)}`, `%${hex(code, 2).toUpperCase()}`, `\\u${hex(code, 4)}`, `&#${code};`][
        how
      ];
    };
    const secret = "s3cr3t/to+ken";
    fc.assert(
      fc.property(fc.array(fc.nat(4), { minLength: secret.length, maxLength: secret.length }), (ways) => {
        const form = [...secret].map((char, at) => spelled(char, ways[at] as number)).join("");
        expect(clean(`a ${form} b`, [secret])).toBe("a [credential] b");
      }),
    );
  });

  test("that is a part of another one does not leave the rest of it", () => {
    expect(clean("x abcdef y", ["abc", "abcdef"])).toBe("x [credential] y");
    expect(clean("abcabc", ["abc"])).toBe("[credential][credential]");
  });

  test("is looked for in time that grows with the text and no faster", () => {
    const text = "%25".repeat(400_000);
    const before = process.cpuUsage();
    expect(clean(text, ["secret"])).toBe(text);
    const { user } = process.cpuUsage(before);
    expect(user / 1_000).toBeLessThan(60_000);
  });
});
