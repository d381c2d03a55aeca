// biome-ignore-all lint/suspicious/noTemplateCurlyInString: entries are written like that
import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { putFile, temporaryFolder } from "../../../../tests/temporary-folder.ts";
import { readServers } from "./read-servers.ts";

let folder: string;
let project: string;
let home: string;

beforeEach(async () => {
  folder = temporaryFolder();
  project = join(folder, "project");
  home = join(folder, "home");
  await mkdir(project);
  await mkdir(home);
});

const namesOf = ({ servers }: { servers: readonly { name: string }[] }) => servers.map(({ name }) => name);

test("servers come from the files of four clients, each in its own shape", async () => {
  putFile(join(project, ".mcp.json"), {
    mcpServers: { one: { command: "one", args: ["-y"], env: { A: "${A}" } } },
  });
  putFile(join(project, ".cursor/mcp.json"), {
    mcpServers: { two: { url: "https://two.test/mcp", headers: { a: "b" } } },
  });
  putFile(
    join(project, ".vscode/mcp.json"),
    '{ // a comment\n "servers": { "three": { "type": "stdio", "command": "3", }, } }',
  );
  putFile(join(home, ".cursor/mcp.json"), { mcpServers: { four: { command: "four" } } });
  putFile(join(home, ".claude.json"), {
    history: ["x"],
    mcpServers: { five: { type: "http", url: "https://five.test" } },
    projects: {
      [project]: { mcpServers: { six: { command: "six" } } },
      "/elsewhere": { mcpServers: { no: { command: "no" } } },
    },
  });
  const { servers, diagnostics } = await readServers({ project, home });
  expect(diagnostics).toEqual([]);
  expect(Object.fromEntries(servers.map(({ name, isOfProject }) => [name, isOfProject]))).toEqual({
    one: true,
    two: true,
    three: true,
    four: false,
    five: false,
    six: false,
  });
  expect(servers.find(({ name }) => name === "one")).toEqual({
    kind: "stdio",
    name: "one",
    file: join(project, ".mcp.json"),
    isOfProject: true,
    command: "one",
    args: ["-y"],
    env: { A: "${A}" },
  });
});

test("what our installer moved comes before the project's other files", async () => {
  putFile(join(project, ".mcp.json"), {
    mcpServers: { both: { command: "shared" }, shared: { command: "x" } },
  });
  putFile(join(project, ".toolkeep/mcp.json"), { mcpServers: { both: { command: "moved" } } });
  const { servers } = await readServers({ project });
  expect(servers.map((one) => [one.name, one.kind === "stdio" && one.command])).toEqual([
    ["both", "moved"],
    ["shared", "x"],
  ]);
});

test("a gateway never finds itself, however it is started", async () => {
  putFile(join(project, ".mcp.json"), {
    mcpServers: {
      a: { command: "toolkeep", args: ["gateway"] },
      b: { command: "/usr/local/bin/toolkeep", args: ["--cwd", ".", "gateway"] },
      c: { command: "npx", args: ["-y", "toolkeep@1.2.3", "gateway"] },
      d: { command: "bunx", args: ["toolkeep", "gateway", "--wrap", "x"] },
      e: { command: "cmd", args: ["/c", "npx toolkeep gateway"] },
      f: { command: "node", args: ["/x/node_modules/toolkeep/dist/main.js", "gateway"] },
      g: { command: "pnpm", args: ["--package=toolkeep", "dlx", "toolkeep", "gateway"] },
      other: { command: "npx", args: ["-y", "api", "gateway"] },
      named: { command: "toolkeeper", args: ["gateway"] },
    },
  });
  expect(namesOf(await readServers({ project }))).toEqual(["other", "named"]);
});

test("what cannot be used is a diagnostic that says where and what to do, and the rest is used", async () => {
  const file = join(project, ".mcp.json");
  putFile(
    file,
    JSON.stringify(
      {
        mcpServers: {
          sse: { type: "sse", url: "https://x.test/sse" },
          odd: { type: "pigeon" },
          words: { command: "x", args: "not a list" },
          none: {},
          secret: { command: "x", envFile: ".env" },
          off: { command: "x", disabled: true },
          "": { command: "x" },
          fine: { command: "x" },
        },
      },
      undefined,
      1,
    ),
  );
  const { servers, diagnostics } = await readServers({ project });
  expect(servers.map(({ name }) => name)).toEqual(["fine"]);
  expect(diagnostics.map(({ subject }) => subject)).toEqual(["sse", "odd", "words", "none", "secret", ""]);
  expect(diagnostics[0]).toMatchObject({
    file,
    line: 3,
    message: expect.stringContaining("deprecated and not supported"),
  });
  expect(diagnostics.every(({ hint }) => hint !== undefined)).toBe(true);
});

test("a broken, large or foreign file is a diagnostic; a missing one is none", async () => {
  putFile(join(folder, "outside.json"), { mcpServers: { stolen: { command: "x" } } });
  await symlink(join(folder, "outside.json"), join(project, ".mcp.json"));
  putFile(join(project, ".cursor/mcp.json"), '{ "mcpServers": {\n "a": } }');
  putFile(join(project, ".vscode/mcp.json"), `{ "servers": {} }${" ".repeat(1_000_001)}`);
  const { servers, diagnostics } = await readServers({ project, home });
  expect(servers).toEqual([]);
  expect(diagnostics.map(({ message }) => message)).toEqual([
    expect.stringContaining("leads out of its folder"),
    expect.stringContaining("not JSON"),
    expect.stringContaining("larger than"),
  ]);
  expect(diagnostics[1]?.line).toBe(2);
});

test("the same server in two files is one; another of its name is left out, and the user's counts", async () => {
  const same = { command: "npx", args: ["same"] };
  putFile(join(project, ".mcp.json"), { mcpServers: { same, github: { command: "of-project" } } });
  putFile(join(project, ".cursor/mcp.json"), { mcpServers: { same } });
  putFile(join(home, ".cursor/mcp.json"), { mcpServers: { github: { command: "of-user" } } });
  const { servers, diagnostics } = await readServers({ project, home });
  expect(servers).toMatchObject([
    { name: "github", command: "of-user", isOfProject: false },
    { name: "same", isOfProject: true },
  ]);
  expect(diagnostics).toMatchObject([{ subject: "github", file: join(project, ".mcp.json") }]);
});

test("a name that the user gave stays the user's while its server is off or invalid", async () => {
  putFile(join(home, ".cursor/mcp.json"), {
    mcpServers: {
      off: { command: "x", disabled: true },
      invalid: { type: "pigeon" },
      "My Server": { command: "x", enabled: false },
      own: { command: "toolkeep", args: ["gateway", "--wrap", "own"] },
    },
  });
  putFile(join(project, ".mcp.json"), {
    mcpServers: Object.fromEntries(
      ["off", "invalid", "My-Server", "own"].map((name) => [name, { command: "y" }]),
    ),
  });
  const { servers, diagnostics } = await readServers({ project, home });
  expect(servers.map(({ name }) => name)).toEqual(["own"]);
  const left = diagnostics.filter(({ file }) => file === join(project, ".mcp.json"));
  expect(left.map(({ subject }) => subject)).toEqual(["off", "invalid", "My-Server"]);
  expect(left.every(({ message }) => message.includes("off or invalid"))).toBe(true);
});

test("where a file of the user is refused, nothing of the project is used: its names could be the user's", async () => {
  putFile(join(project, ".mcp.json"), { mcpServers: { github: { command: "of-project" } } });
  putFile(join(home, ".claude.json"), { mcpServers: { other: { command: "of-user" } } });
  putFile(join(home, ".cursor/mcp.json"), '{ "mcpServers": { "github": ');
  const { servers, diagnostics } = await readServers({ project, home });
  expect(namesOf({ servers })).toEqual(["other"]);
  expect(diagnostics.map(({ message }) => message)).toEqual([
    expect.stringContaining("The file is refused"),
    expect.stringContaining("The project's servers are ignored (1)"),
  ]);
});

test("a file with too many servers is refused, one with many errors tells some, and neither takes long", async () => {
  const many = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`s${index}`, {}]));
  putFile(join(project, ".mcp.json"), JSON.stringify({ mcpServers: many(32_000) }, undefined, 1));
  putFile(join(project, ".cursor/mcp.json"), { mcpServers: { ...many(400), fine: { command: "x" } } });
  const start = performance.now();
  const { servers, diagnostics } = await readServers({ project });
  // It took a minute when each line was counted from the start.
  expect(performance.now() - start).toBeLessThan(25_000);
  expect(namesOf({ servers })).toEqual(["fine"]);
  expect(diagnostics).toHaveLength(22);
  expect(diagnostics[0]?.message).toContain("32000 servers");
  expect(diagnostics.at(-1)?.message).toContain("380 more");
});

test("no file, however it is nested, makes reading throw", async () => {
  putFile(join(project, ".mcp.json"), `{"mcpServers":${'{"a":'.repeat(3_000)}1${"}".repeat(3_001)}`);
  putFile(join(project, ".cursor/mcp.json"), `{"mcpServers":{},"x":[${"1,".repeat(400_000)}1]}`);
  const { diagnostics } = await readServers({ project });
  expect(diagnostics.map(({ message }) => message)).toEqual([expect.stringContaining("nested too deeply")]);
});

test("names that no rule could hold are made plain", async () => {
  putFile(join(project, ".mcp.json"), { mcpServers: { "My Server: v2": { command: "x" } } });
  expect(namesOf(await readServers({ project }))).toEqual(["My-Server-v2"]);
});

test("named files are the user's, unless they lie in the project", async () => {
  putFile(join(folder, "mine.json"), { servers: { mine: { command: "x" } } });
  putFile(join(project, "theirs.json"), { mcpServers: { theirs: { command: "x" } } });
  const files = [join(folder, "mine.json"), join(project, "theirs.json")];
  const { servers } = await readServers({ project, files });
  expect(servers).toMatchObject([
    { name: "mine", isOfProject: false },
    { name: "theirs", isOfProject: true },
  ]);
});
