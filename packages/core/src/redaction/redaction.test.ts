import fc from "fast-check";
import { expect, test } from "vitest";
import { redactStream } from "./redact-stream.ts";
import { createRedactor } from "./redactor.ts";

const TOKEN = `ghp_${"a1B2".repeat(9)}`;

test("a known shape is replaced and named", () => {
  expect(createRedactor().redact(`token ${TOKEN} end`)).toBe("token [redacted:github-token] end");
});

test("a private key is replaced with its body, in plain and in JSON text", () => {
  const key = "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nabc\n-----END RSA PRIVATE KEY-----";
  const redactor = createRedactor();
  expect(redactor.redact(key)).toBe("[redacted:private-key]");
  expect(JSON.parse(redactor.redact(JSON.stringify({ key })))).toEqual({ key: "[redacted:private-key]" });
});

test("a declared value is replaced in plain and in JSON text; a short one is left alone", () => {
  const redactor = createRedactor();
  redactor.add("DB_PASSWORD", 'quo"te-and-more');
  redactor.add("SHORT", "abc");
  expect(redactor.redact('pw=quo"te-and-more abc')).toBe("pw=[redacted:DB_PASSWORD] abc");
  expect(JSON.parse(redactor.redact(JSON.stringify({ pw: 'quo"te-and-more' })))).toEqual({
    pw: "[redacted:DB_PASSWORD]",
  });
});

test("text without secrets comes back as it was", () => {
  const redactor = createRedactor();
  fc.assert(fc.property(fc.string(), (text) => redactor.redact(text) === text || text.includes("eyJ")));
});

test("JSON stays JSON, whatever secrets stand in it", () => {
  const redactor = createRedactor();
  redactor.add("V", "top-secret-value");
  const withSecret = fc.tuple(fc.string(), fc.constantFrom(TOKEN, "top-secret-value"), fc.string());
  fc.assert(
    fc.property(fc.array(withSecret), (parts) => {
      const redacted = redactor.redact(JSON.stringify(parts.map((part) => part.join(" "))));
      expect(Array.isArray(JSON.parse(redacted))).toBe(true);
      expect(redacted).not.toContain("top-secret-value");
      expect(redacted).not.toContain(TOKEN);
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
