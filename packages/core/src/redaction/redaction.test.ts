import fc from "fast-check";
import { expect, test } from "vitest";
import { redactStream } from "./redact-stream.ts";
import { createRedactor } from "./redactor.ts";

const TOKEN = `ghp_${"a1B2".repeat(9)}`;

test("a known shape is replaced and named", () => {
  expect(createRedactor().redact(`token ${TOKEN} end`)).toBe("token [redacted:github-token] end");
});

test("a private key is replaced with its body, in plain and in JSON text", () => {
  const key =
    "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEAz7bq8h1Q2kX9\nvYp0uWc3\n-----END RSA PRIVATE KEY-----";
  const redactor = createRedactor();
  expect(redactor.redact(key)).toBe("[redacted:private-key]");
  expect(JSON.parse(redactor.redactJson(JSON.stringify({ key })))).toEqual({ key: "[redacted:private-key]" });
});

test("a declared value is replaced in plain and in JSON text; a short one is left alone", () => {
  const redactor = createRedactor();
  redactor.add("DB_PASSWORD", 'quo"te-and-more');
  redactor.add("SHORT", "abc");
  expect(redactor.redact('pw=quo"te-and-more abc')).toBe("pw=[redacted:DB_PASSWORD] abc");
  expect(JSON.parse(redactor.redactJson(JSON.stringify({ pw: 'quo"te-and-more' })))).toEqual({
    pw: "[redacted:DB_PASSWORD]",
  });
});

test("text without secrets comes back as it was", () => {
  const redactor = createRedactor();
  fc.assert(fc.property(fc.string(), (text) => redactor.redact(text) === text || text.includes("eyJ")));
});

test("JSON stays JSON, whatever secrets stand in it and wherever they begin and end", () => {
  const redactor = createRedactor();
  redactor.add("V", 'top-"secret"-value');
  const secrets = [
    TOKEN,
    'top-"secret"-value',
    `npm_${"a".repeat(36)}`,
    "-----BEGIN PRIVATE KEY-----",
    `rk_live_${"b".repeat(16)}`,
  ];
  const withSecret = fc.tuple(
    fc.string(),
    fc.constantFrom("\n", "\\", '"', "", "\r"),
    fc.constantFrom(...secrets),
    fc.string(),
  );
  fc.assert(
    fc.property(fc.array(withSecret), fc.constantFrom(...secrets), (parts, key) => {
      const value = { list: parts.map((part) => part.join("")), [key]: 1 };
      const redacted = redactor.redactJson(JSON.stringify(value));
      expect(JSON.parse(redacted)).toHaveProperty("list");
      for (const secret of secrets) expect(redacted).not.toContain(JSON.stringify(secret).slice(1, -1));
    }),
  );
});

const KEY = `-----BEGIN PRIVATE KEY-----\n${"MIIEowIBAAKCAQEA\n".repeat(300)}-----END PRIVATE KEY-----`;

test("a secret cut by chunk borders is found in a stream, a long key included", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(TOKEN, KEY),
      fc.integer({ min: 1, max: 70_000 }),
      fc.integer({ min: 0, max: 200_000 }),
      (secret, size, before) => {
        const whole = `${"x".repeat(before)} ${secret} ${"y".repeat(60_000)}`;
        const stream = redactStream(createRedactor());
        let out = "";
        for (let at = 0; at < whole.length; at += size) out += stream.push(whole.slice(at, at + size));
        expect(out + stream.end()).toBe(createRedactor().redact(whole));
      },
    ),
    { numRuns: 100 },
  );
});
