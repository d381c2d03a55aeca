import { describe, expect, test } from "vitest";
import { redactStream } from "./redact-stream.ts";
import { createRedactor } from "./redactor.ts";

const TOKEN = "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8";
const [HEAD, TAIL] = [TOKEN.slice(0, 10), TOKEN.slice(10)];

describe("a secret is found behind what a terminal does not show", () => {
  test.each([
    ["colours and erased lines of grep", `\u001b[01;31m\u001b[Kghp_\u001b[m\u001b[K${TOKEN.slice(4)}`],
    ["another control sequence", `${HEAD}\u001b[?25l\u001b[2;5H${TAIL}`],
    ["a sequence of eight bits", `${HEAD}\u009b0m${TAIL}`],
    ["a hyperlink", `${HEAD}\u001b]8;;https://a.example\u001b\\${TAIL}`],
    ["a title that ends with a bell", `${HEAD}\u001b]0;title\u0007${TAIL}`],
    ["a character set", `${HEAD}\u001b(B${TAIL}`],
    ["letters printed twice, as in manual pages", [...TOKEN].map((char) => `${char}\b${char}`).join("")],
    ["a return within the line", `${HEAD}\r${TAIL}`],
    ["zero-width characters", `${HEAD}\u200b${TAIL.slice(0, 4)}\u2060\ufeff${TAIL.slice(4)}`],
    ["a soft hyphen and a tag", `${HEAD}\u00ad${TAIL.slice(0, 4)}\u{e0041}${TAIL.slice(4)}`],
    ["a zero after each letter", [...TOKEN].join("\0")],
    ["a sequence that was written out", `${HEAD}\\x1b[K${TAIL.slice(0, 4)}\\u001b[0m${TAIL.slice(4)}`],
  ])("%s", (_what, hidden) => {
    const redactor = createRedactor();
    const shown = redactor.redact(`see ${hidden} end`);
    expect(shown).toMatch(/^see \S{0,20}\[redacted:github-token\]\S{0,60} end$/u);
    expect(shown).not.toContain(TAIL.slice(-8));
    const value = { list: ["a", `see ${hidden} end`], [hidden]: 1 };
    const json = redactor.redactJson(JSON.stringify(value));
    expect(json).not.toContain(TAIL.slice(-8));
    expect(Object.keys(JSON.parse(json) as object)).toHaveLength(2);
    const stream = redactStream(redactor);
    const whole = `${"x".repeat(49_140)}\n${hidden} end\n${"y ".repeat(40_000)}`;
    let out = "";
    for (let at = 0; at < whole.length; at += 1_021) out += stream.push(whole.slice(at, at + 1_021));
    expect(out + stream.end()).toBe(redactor.redact(whole));
  });

  test.each([
    ["a title", "\u001b]; touch x ;\u0007"],
    ["a string for a device", "\u001bP\ntouch x\n\u001b\\"],
    ["a sequence with a separator and no number", "\u001b[;m"],
    ["a sequence with an operator", "\u001b&& l"],
    ["an operator that is printed over", ";\b"],
  ])("what %s holds within a secret is still shown, because a shell may execute it", (_what, hidden) => {
    const redactor = createRedactor();
    const mark = "[redacted:github-token]";
    expect(redactor.redact(`echo ${HEAD}${hidden}${TAIL}`)).toBe(`echo ${mark}${hidden}${mark}`);
    const json = redactor.redactJson(JSON.stringify([`echo ${HEAD}${hidden}${TAIL}`]));
    expect(JSON.parse(json)).toEqual([`echo ${mark}${hidden}${mark}`]);
  });

  test("text without a secret stays as it is, colours included", () => {
    const text = "\u001b[31mred\u001b[m na\u00efve \u{1f469}\u200d\u{1f4bb} a\rb C:\\bin\\e[1]";
    expect(createRedactor().redact(text)).toBe(text);
  });
});

describe("a declared value is found", () => {
  const value = "Tr0ub4dor&3/horse+battery=st@ple? ü";
  const bytes = (text: string) => Buffer.from(text);
  test.each<[string, (text: string) => string]>([
    ["in an address", encodeURIComponent],
    [
      "in an address, with small digits",
      (text) => encodeURIComponent(text).replaceAll(/%../g, (code) => code.toLowerCase()),
    ],
    ["with every byte encoded", (text) => bytes(text).toString("hex").replaceAll(/../g, "%$&")],
    ["in a form", (text) => new URLSearchParams({ k: text }).toString().slice(2)],
    ["in base64", (text) => bytes(text).toString("base64")],
    ["in base64 behind one byte", (text) => bytes(`a${text}`).toString("base64")],
    ["in base64 behind two bytes, with more", (text) => bytes(`ab${text}cd`).toString("base64")],
    ["in base64 of addresses", (text) => bytes(text).toString("base64url")],
    ["in base64 in short lines", (text) => bytes(text).toString("base64").replaceAll(/.{8}/g, "$&\n")],
    ["in hexadecimal digits", (text) => bytes(text).toString("hex")],
    ["in capital hexadecimal digits", (text) => bytes(text).toString("hex").toUpperCase()],
    ["in JSON", (text) => JSON.stringify(text).slice(1, -1)],
    ["in JSON in JSON", (text) => JSON.stringify(JSON.stringify(text))],
    [
      "with letters as numbers",
      (text) => text.replaceAll(/[&/]/g, (c) => `\\u00${c.charCodeAt(0).toString(16)}`),
    ],
    ["for a shell", (text) => text.replaceAll(/[&?]/g, "\\$&")],
    ["in HTML", (text) => text.replaceAll("&", "&amp;")],
    ["in lines of its own", (text) => `${text.slice(0, 12)}\n  ${text.slice(12)}`],
    ["in colours", (text) => `${text.slice(0, 5)}\u001b[0m${text.slice(5)}`],
  ])("%s", (_how, write) => {
    const redactor = createRedactor();
    redactor.add("DB", value);
    const written = write(value);
    const shown = redactor.redact(`before: ${written} after`);
    expect(shown).toMatch(/^before: .{0,6}\[redacted:DB\].{0,8} after$/s);
    const json = redactor.redactJson(JSON.stringify({ [written]: [written, "kept"] }));
    expect(json.match(/\[redacted:DB\]/g)).toHaveLength(2);
    expect(json).toContain("kept");
  });

  test.each([30_000, 48_000, 70_000])("in a stream cut anywhere, with %i characters", (size) => {
    const letters = "abcdefghijklmnopqrstuvwxyz0123456789";
    let state = size;
    const next = () => {
      state = (state * 48_271) % 2_147_483_647;
      return letters.charAt(state % 36);
    };
    const long = Array.from({ length: size }, next).join("");
    for (const write of [(text: string) => text, (text: string) => bytes(text).toString("hex")]) {
      const redactor = createRedactor();
      redactor.add("BIG", long);
      const whole = `${"x".repeat(90_001)}\n${write(long)}\n${"y".repeat(70_000)}`;
      const stream = redactStream(redactor);
      let out = "";
      for (let at = 0; at < whole.length; at += 9_973) out += stream.push(whole.slice(at, at + 9_973));
      expect(out + stream.end()).toBe(`${"x".repeat(90_001)}\n[redacted:BIG]\n${"y".repeat(70_000)}`);
    }
  });

  test("many values are declared in little time", () => {
    const redactor = createRedactor();
    const started = performance.now();
    for (let index = 0; index < 800; index += 1)
      redactor.add(`S${index}`, `secret-value-number-${index}-abcdef`);
    expect(redactor.redact("x secret-value-number-799-abcdef y")).toBe("x [redacted:S799] y");
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});
