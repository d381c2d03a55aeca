import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { temporaryFolder } from "../../../../tests/temporary-folder.ts";
import { readServerSettings } from "./settings-file.ts";

let folder: string;
let project: string;
let user: string;
const home = "/home/me";

beforeEach(async () => {
  folder = temporaryFolder();
  project = join(folder, "project");
  user = join(folder, "mcp.jsonc");
  await mkdir(join(project, ".toolkeep"), { recursive: true });
});

async function putUser(text: string): Promise<void> {
  await writeFile(user, text, { mode: 0o600 });
}

const putProject = (text: string) => writeFile(join(project, ".toolkeep", "mcp.jsonc"), text);
const MAP = {
  name: "own",
  packages: ["x"],
  tools: { t: { mode: "read", effects: [{ capability: "fs.read", target: "{path}" }] } },
};

test("the user decides about a server, and brings maps", async () => {
  await putUser(`{
    // what I want
    "servers": { "a": { "map": "own", "files": ["~/notes/**", "/data/**"], "sandbox": { "read": ["/usr"], "hosts": "any" }, "timeoutMs": 90000 } },
    "maps": [${JSON.stringify(MAP)}],
  }`);
  expect(await readServerSettings({ user, home })).toEqual({
    settings: {
      a: {
        map: "own",
        files: ["/home/me/notes/**", "/data/**"],
        sandbox: { read: ["/usr"], write: [], hosts: "any" },
        timeoutMs: 90000,
      },
    },
    maps: [MAP],
    diagnostics: [],
    isBroken: false,
    isMandated: false,
  });
});

test("a map says all that a map can say", async () => {
  const map = {
    ...MAP,
    tools: { t: { ...MAP.tools.t, checks: { path: "path", words: "literal" } } },
    prompts: { p: [{ capability: "net.fetch", target: "{host:url}" }] },
    resources: { docs: [{ capability: "docs.read", target: "{uri}" }] },
    start: { file: "dist/index.js", args: ["--root=", "*"], variables: ["TOKEN"] },
    environment: { SAFE: "1" },
  };
  await putUser(JSON.stringify({ maps: [map] }));
  expect(await readServerSettings({ user, home })).toMatchObject({
    maps: [map],
    diagnostics: [],
    isBroken: false,
    isMandated: false,
  });
});

test("of many errors some are told", async () => {
  await putUser(
    JSON.stringify({ servers: Object.fromEntries(Array.from({ length: 900 }, (_, at) => [at, 1])) }),
  );
  const { diagnostics, isBroken } = await readServerSettings({ user, home });
  expect(isBroken).toBe(true);
  expect(diagnostics).toHaveLength(20);
});

test("a project can narrow, and what would widen is passed over aloud", async () => {
  await putUser(
    '{ "servers": { "a": { "isPrivate": true, "timeoutMs": 60000, "sandbox": { "read": ["/usr"] } } } }',
  );
  await putProject(
    JSON.stringify({
      servers: {
        a: {
          isPrivate: false,
          timeoutMs: 120_000,
          sandbox: { read: ["/"] },
          files: ["/**"],
          map: "own",
          plainHttp: true,
        },
        b: { map: false, isPrivate: true, timeoutMs: 1000, longestMs: 900_000, sandbox: { write: ["out"] } },
      },
      maps: [MAP],
    }),
  );
  const { settings, maps, diagnostics, isBroken } = await readServerSettings({ user, project, home });
  expect(settings).toEqual({
    a: { isPrivate: true, timeoutMs: 60_000, sandbox: { read: ["/usr"], write: [], hosts: [] } },
    b: {
      isPrivate: true,
      timeoutMs: 1000,
      longestMs: 600_000,
      sandbox: { read: [], write: [join(project, "out")], hosts: [] },
    },
  });
  expect(maps).toEqual([]);
  expect(isBroken).toBe(false);
  expect(diagnostics.map(({ subject, message }) => `${subject} ${message.split(" ")[0]}`).toSorted()).toEqual(
    [
      "a `files`",
      "a `isPrivate`",
      "a `map`",
      "a `plainHttp`",
      "a `timeoutMs`",
      "a `sandbox`",
      "b `longestMs`",
      "b `map`",
      "undefined `maps`",
    ].toSorted(),
  );
});

test.each([
  ['{ "servers": { "a": { "wals": {} } } }', 'Unknown key "wals"'],
  ['{ "servers": { "a": { "timeoutMs": -1 } } }', "whole number"],
  ['{ "servers": { "a": { "files": ["notes"] } } }', "absolute"],
  ['{ "servers": { "a": { "sandbox": { "read": ["{workspace}"] } } } }', "absolute"],
  ['{ "servers": [], "other": 1 }', "Unknown key"],
  ['{ "maps": [{ "name": "x", "tools": { "t": { "mode": "odd", "effects": [] } } }] }', "one of read"],
  [
    '{ "maps": [{ "name": "x", "tools": { "t": { "mode": "read", "effects": [{ "capability": "fs.read", "target": "{" }] } } }] }',
    "target",
  ],
  ['{ "maps": [{ "name": "x", "tools": {}, "start": { "word": [] } }] }', 'Unknown key "word"'],
  [
    '{ "maps": [{ "name": "x", "tools": {}, "prompts": { "p": [{ "capability": "x", "target": "{" }] } }] }',
    "target",
  ],
  ['{ "maps": [{ "name": "x", "tools": {}, "environment": { "A": 1 } }] }', "must be a string"],
  ['{ "servers": { "a": {}, "a": {} } }', "twice"],
  ['{ "servers": { "__proto__": {} } }', "not allowed"],
  ["{", "not JSON"],
])("%s is refused as a whole, with its place", async (text, words) => {
  await putUser(`\n${text}`);
  const { settings, diagnostics, isBroken } = await readServerSettings({ user, home });
  expect(isBroken).toBe(true);
  expect(settings).toEqual({});
  expect(
    diagnostics.some(({ message, line, file }) => message.includes(words) && line === 2 && file === user),
  ).toBe(true);
});

test("a user's file that others can write to is refused", async () => {
  await putUser('{ "servers": {} }');
  await chmod(user, 0o666);
  expect(await readServerSettings({ user, home })).toMatchObject({
    isBroken: true,
    diagnostics: [{ file: user }],
  });
});

test("no file says nothing", async () => {
  expect(await readServerSettings({ project, user, home })).toEqual({
    settings: {},
    maps: [],
    diagnostics: [],
    isBroken: false,
    isMandated: false,
  });
});

test("an administrator's settings and maps replace those of the user, and a project only narrows them", async () => {
  const managed = join(folder, "managed.jsonc");
  const strict = { ...MAP, tools: { t: { mode: "external", effects: [] } } };
  await writeFile(
    managed,
    JSON.stringify({ servers: { a: { isPrivate: true, map: false } }, maps: [strict] }),
  );
  await putUser(
    JSON.stringify({ servers: { a: { map: "own", files: ["/"] }, b: { map: "own" } }, maps: [MAP] }),
  );
  await putProject('{ "servers": { "a": { "isPrivate": false } } }');
  const read = await readServerSettings({ user, managed, project, home });
  expect(read.settings).toEqual({ a: { isPrivate: true, map: false }, b: {} });
  expect(read.maps).toEqual([strict]);
  await writeFile(managed, "{");
  expect((await readServerSettings({ user, managed, home })).isBroken).toBe(true);
});

test("where there is an administrator, no user takes an effect map away", async () => {
  const managed = join(folder, "etc", "mcp.jsonc");
  const git = { ...MAP, name: "git", packages: ["mcp-server-git"] };
  const files = { ...MAP, name: "files", packages: ["@modelcontextprotocol/server-filesystem"] };
  await putUser(
    JSON.stringify({
      servers: { a: { map: false, timeoutMs: 5_000 }, b: { map: "own" } },
      maps: [MAP, git, files],
    }),
  );
  const read = () => readServerSettings({ user, managed, home });
  expect(await read()).toMatchObject({
    isMandated: false,
    settings: { a: { map: false }, b: { map: "own" } },
  });
  await mkdir(join(folder, "etc"));
  await writeFile(join(folder, "etc", "config.jsonc"), "{}");
  const mandated = await read();
  expect(mandated.settings).toEqual({ a: { timeoutMs: 5_000 }, b: {} });
  expect(mandated.maps).toEqual([MAP]);
  expect(mandated).toMatchObject({ isMandated: true, isBroken: false });
  expect(mandated.diagnostics.map(({ subject, code }) => [subject, code])).toEqual([
    ["a", "setting_ignored"],
    ["b", "setting_ignored"],
    [undefined, "setting_ignored"],
  ]);
  await writeFile(managed, JSON.stringify({ servers: { a: { map: false } } }));
  expect((await read()).settings).toEqual({ a: { map: false }, b: {} });
  await putUser("{");
  expect(await read()).toMatchObject({ isMandated: true, isBroken: true });
});
