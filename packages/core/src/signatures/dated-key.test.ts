import { expect, test } from "vitest";
import { newKey } from "../../../../tests/ssh-keys.ts";
import { dateError, parseDatedKey } from "./dated-key.ts";

const { line } = newKey();
const [from, until] = [Date.parse("2026-01-02T00:00:00Z"), Date.parse("2026-11-01T18:30:00Z")];

test("a key has the dates that OpenSSH writes before it, with quotes and without", () => {
  expect(parseDatedKey(line)).toMatchObject({ line, key: { type: "ssh-ed25519" } });
  expect(parseDatedKey(line)).not.toHaveProperty("until");
  for (const options of [
    "valid-after=20260102Z,valid-before=202611011830Z",
    'valid-before="20261101183000Z",valid-after="202601020000Z"',
  ])
    expect(parseDatedKey(`${options} ${line}`)).toMatchObject({ line, from, until });
});

test("it signs at its first and its last moment, and at none before or after", () => {
  const key = parseDatedKey(`valid-after=20260102Z,valid-before=202611011830Z ${line}`);
  for (const at of [from, until, (from + until) / 2]) expect(dateError(key, at)).toBeUndefined();
  expect(dateError(key, from - 1)).toBe("is valid from 2026-01-02T00:00:00.000Z on");
  expect(dateError(key, until + 1)).toBe("was valid until 2026-11-01T18:30:00.000Z");
  expect(dateError(parseDatedKey(line), Number.MAX_SAFE_INTEGER)).toBeUndefined();
});

test.each([
  ["valid-before=20261101"],
  ["valid-before=20260230Z"],
  ["valid-before=2026-11-01Z"],
  ["valid-before="],
  ['valid-before="20261101Z'],
  ["valid-before=20261101Z,"],
  ["valid-before=20261101Z,valid-before=20271101Z"],
])("a date that is none is an error and no key without an end: %s", (options) => {
  expect(() => parseDatedKey(`${options} ${line}`)).toThrow(/Write valid-before=20261101Z/);
});

test.each([["valid-until=20261101Z"], ["cert-authority"], ["valid-before=20261101Z  "]])(
  "no other option is taken: %s",
  (options) => {
    expect(() => parseDatedKey(`${options} ${line}`)).toThrow(/is not an SSH public key/);
  },
);
