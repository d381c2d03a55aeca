import { expect, test } from "vitest";
import type { ServerEntry, ServerSettings } from "./server-entry.ts";
import { settingsFor } from "./settings-for.ts";

const entry = (isOfProject: boolean, name = "x"): ServerEntry => ({
  kind: "http",
  name,
  isOfProject,
  url: "https://x.test",
  headers: {},
});
const own: ServerSettings = {
  map: "filesystem",
  files: ["/home/me/**"],
  plainHttp: true,
  isPrivate: true,
  sandbox: { read: ["/usr"] },
  timeoutMs: 5,
};

test("what the user says of a name counts for the user's own server", () => {
  expect(settingsFor(entry(false), { x: own })).toEqual(own);
  expect(settingsFor(entry(false, "toString"), { x: own })).toEqual({});
  expect(settingsFor(entry(false))).toEqual({});
});

test("for a project's server of that name only what narrows counts", () => {
  expect(settingsFor(entry(true), { x: own })).toEqual({
    isPrivate: true,
    sandbox: { read: ["/usr"] },
    timeoutMs: 5,
  });
  expect(settingsFor(entry(true), { x: { map: false, plainHttp: false } })).toEqual({
    map: false,
    plainHttp: false,
  });
});
