import { chmod, mkdir, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { createRegistry, createSession, defineTool } from "@toolkeep/core";
import { beforeEach, describe, expect, test } from "vitest";
import { putFile, temporaryFolder } from "../../../../../tests/temporary-folder.ts";
import { formatConfigDiagnostic } from "./config-diagnostics.ts";
import { type ReadConfigOptions, readConfig } from "./read-config.ts";

let top: string;
let home: string;
let project: string;

beforeEach(async () => {
  top = temporaryFolder();
  home = join(top, "home");
  project = join(home, "project");
  await mkdir(join(project, ".git"), { recursive: true });
});

const userFile = () => join(home, ".config", "toolkeep", "config.jsonc");
const inProject = (name: string) => join(project, name);
const trusting = { of: async (folder: string) => ({ isTrusted: true, project: folder }) as const };

function read(options: ReadConfigOptions = {}) {
  const managed = join(top, "managed.jsonc");
  return readConfig({ cwd: project, home, env: {}, platform: "linux", managed, trust: trusting, ...options });
}

const said = async (options?: ReadConfigOptions) =>
  (await read(options)).diagnostics.map(formatConfigDiagnostic);

describe("the settings of all files", () => {
  test("nothing, where there are none", async () => {
    expect(await read()).toEqual({
      config: {
        ...{ policy: [], tools: {}, allowed: [], denied: [], catalog: [], sandbox: {}, network: {} },
        ...{ journal: {}, audit: {}, identity: {}, redaction: { shapes: [] }, roots: [], files: [] },
      },
      origins: new Map(),
      diagnostics: [],
      project,
    });
  });

  test("every key, with comments and trailing commas, and paths relative to the file", async () => {
    putFile(
      userFile(),
      `{ "$schema": "./config.schema.json", // for the editor
  "mode": "allowlist", "policy": "policy.yaml", "allowed": ["read", "git*"], "denied": ["bash"],
  "tools": { "bash": { "enabled": false, "timeoutMs": 5000, "shell": { "name": "bash" }, }, },
  "sandbox": { "required": true },
  "network": { "privateHosts": ["localhost:3000"], "proxy": "environment" },
  /* days */ "journal": { "folder": "~/journals", "keepDays": 30 },
  "redaction": { "shapes": [{ "name": "acme-key", "pattern": "acme_[a-z0-9]{32}" }] },
  "roots": ["../lib", "/srv/data/"], "files": ["~/notes.md"], }`,
    );
    const { config, diagnostics, origins } = await read();
    expect(diagnostics).toEqual([]);
    expect(config).toEqual({
      mode: "allowlist",
      catalog: [],
      policy: [{ path: join(home, ".config/toolkeep/policy.yaml"), layer: "user" }],
      tools: { bash: { enabled: false, timeoutMs: 5000, shell: { name: "bash" } } },
      allowed: [["read", "git*"]],
      denied: ["bash"],
      sandbox: { required: true },
      network: { privateHosts: ["localhost:3000"], proxy: "environment" },
      identity: {},
      journal: { folder: join(home, "journals"), keepDays: 30 },
      audit: {},
      redaction: { shapes: [{ name: "acme-key", pattern: "acme_[a-z0-9]{32}" }] },
      roots: [join(home, ".config/lib"), "/srv/data"],
      files: [join(home, "notes.md")],
    });
    expect(origins.get("tools.bash.timeoutMs")).toEqual([
      { value: 5000, layer: "user", file: userFile(), line: 3, column: 42 },
    ]);
    expect(Object.isFrozen(config?.tools["bash"]?.["shell"])).toBe(true);
  });

  test("shapes of secrets of the user and the administrator add up, and a project has none", async () => {
    const shape = (name: string) => ({ redaction: { shapes: [{ name, pattern: `${name}_[0-9]{8}` }] } });
    putFile(userFile(), shape("user"));
    putFile(inProject("toolkeep.jsonc"), shape("project"));
    putFile(join(top, "managed.jsonc"), shape("managed"));
    const { config, diagnostics } = await read();
    expect(diagnostics).toMatchObject([{ severity: "warning" }]);
    expect(config?.redaction.shapes.map(({ name }) => name).toSorted()).toEqual(["managed", "user"]);
  });

  test.each([
    [{ name: "a", pattern: "(a)\\1" }, "linear time"],
    [{ name: "a", pattern: "x*" }, "upper bound"],
    [{ name: "a", pattern: "x?" }, "empty text"],
    [{ name: "a", pattern: "(x{1,9}){1,9}" }, "a group is repeated"],
    [{ name: "a b", pattern: "x" }, "its name"],
    [{ name: "a" }, "is written as"],
    ["acme_.*", "is written as"],
  ])("a shape that cannot be used is an error: %j", async (shape, message) => {
    putFile(userFile(), { redaction: { shapes: [shape] } });
    expect((await said()).join("\n")).toContain(message);
    expect((await read()).config).toBeUndefined();
  });

  test("layer by layer: user, project from its top folder down, local, and the administrator's last", async () => {
    putFile(userFile(), { tools: { bash: { timeoutMs: 1, a: 1, b: 1 } }, denied: ["x"], allowed: ["*"] });
    putFile(inProject("toolkeep.jsonc"), { tools: { bash: { timeoutMs: 2, b: 2 } }, allowed: ["read"] });
    putFile(inProject(".toolkeep/config.local.json"), { tools: { bash: { timeoutMs: 3 } } });
    putFile(inProject("deep/er/.toolkeep/config.json"), {
      tools: { bash: { timeoutMs: 4 } },
      denied: ["y"],
    });
    putFile(inProject("other/toolkeep.json"), { tools: { bash: { timeoutMs: 99 } } });
    putFile(join(home, "toolkeep.json"), { tools: { bash: { timeoutMs: 99 } } });
    const { config, origins, diagnostics } = await read({ cwd: inProject("deep/er") });
    expect(diagnostics).toEqual([]);
    expect(config).toMatchObject({
      tools: { bash: { timeoutMs: 4, a: 1, b: 2 } },
      denied: ["x", "y"],
      allowed: [["*"], ["read"]],
    });
    expect(origins.get("tools.bash.timeoutMs")?.map(({ layer }) => layer)).toEqual([
      "user",
      "project",
      "local",
      "project",
    ]);
    putFile(join(top, "managed.jsonc"), {
      tools: { bash: { timeoutMs: 5 } },
      mode: "ask",
      denied: ["z"],
    });
    const ruled = await read({ cwd: inProject("deep/er") });
    expect(ruled.config).toMatchObject({
      tools: { bash: { timeoutMs: 5 } },
      mode: "ask",
      denied: ["x", "y", "z"],
    });
  });

  test("settings reach the tools of a registry", async () => {
    putFile(userFile(), { tools: { greet: { word: "hello" }, gone: { enabled: false } } });
    const { config } = await read();
    const registry = createRegistry({ config: config?.tools ?? {} });
    for (const name of ["greet", "gone"]) {
      const tool = { name, description: "d", inputSchema: { type: "object" }, requires: {} } as const;
      registry.register(defineTool({ ...tool, execute: (_args, ctx) => ctx.config }));
    }
    const session = await createSession({ registry, policy: [{ action: "allow", permission: "*" }] });
    expect((await session.call({ id: "1", name: "greet", arguments: {} })).data).toEqual({ word: "hello" });
    expect((await session.call({ id: "2", name: "gone", arguments: {} })).ok).toBe(false);
  });

  test("TOOLKEEP_CONFIG replaces the user's file, which must exist", async () => {
    putFile(userFile(), { denied: ["a"] });
    putFile(join(top, "other.json"), { denied: ["b"] });
    const reading = await read({ env: { TOOLKEEP_CONFIG: join(top, "other.json") } });
    expect(reading.config?.denied).toEqual(["b"]);
    expect(await said({ env: { TOOLKEEP_CONFIG: join(top, "none.json") } })).toEqual([
      expect.stringMatching(/none\.json:1:1: error: There is no such file\./),
    ]);
    await expect(read({ env: { TOOLKEEP_CONFIG: "other.json" } })).rejects.toThrow(/absolute/);
  });
});

describe("what a project may not set", () => {
  const widening: readonly (readonly [string, unknown])[] = [
    ["mode", "yolo"],
    ["mode", "observe"],
    ["mode", "allowlist"],
    ["sandbox", { required: false }],
    ["network", { privateHosts: ["169.254.169.254"] }],
    ["network", { proxy: "environment" }],
    ["journal", { folder: "/tmp/elsewhere" }],
    ["journal", { keepDays: 1 }],
    ["roots", ["/"]],
    ["files", ["~/.ssh/id_ed25519"]],
    ["policy", "../../policy.yaml"],
    ["policy", "/etc/policy.yaml"],
    ["tools", { bash: { enabled: true } }],
  ];

  test.each(widening)("%s %j is passed over with a warning, in both of its files", async (key, value) => {
    putFile(userFile(), { tools: { bash: { enabled: false } } });
    const before = (await read()).config;
    for (const name of ["toolkeep.jsonc", ".toolkeep/config.local.jsonc"]) {
      putFile(inProject(name), { [key]: value });
      const { config, diagnostics } = await read();
      expect(diagnostics.map(({ severity, file }) => [severity, file])).toEqual([
        ["warning", inProject(name)],
      ]);
      expect(config).toEqual(before);
      await rm(inProject(name));
    }
  });

  test.each(widening)("%s %j applies in the user's and the administrator's file", async (key, value) => {
    for (const file of [userFile(), join(top, "managed.jsonc")]) {
      putFile(file, { [key]: value });
      const { config, diagnostics, origins } = await read();
      expect(diagnostics).toEqual([]);
      expect(origins.size).toBe(1);
      expect(config).not.toEqual((await readWithout(file)).config);
    }
  });

  async function readWithout(file: string) {
    await rm(file);
    return read();
  }

  test("but it may narrow", async () => {
    putFile(userFile(), { mode: "yolo", sandbox: { required: false } });
    const narrow = {
      mode: "ask",
      sandbox: { required: true },
      policy: "p.yaml",
      tools: { bash: { enabled: false } },
    };
    putFile(inProject("toolkeep.json"), narrow);
    putFile(inProject("p.yaml"), "version: 1");
    const { config, diagnostics } = await read();
    expect(diagnostics).toEqual([]);
    expect(config).toMatchObject({
      ...narrow,
      policy: [{ path: inProject("p.yaml"), layer: "project", text: "version: 1" }],
    });
  });

  test("and nothing of it is read if it is not trusted or trust was not asked for", async () => {
    putFile(inProject("toolkeep.json"), "{ broken");
    const declining = { of: async () => ({ isTrusted: false, project, reason: "it was declined" }) as const };
    expect(await read({ trust: declining })).toMatchObject({ diagnostics: [], untrusted: "it was declined" });
    const { trust: _left, ...rest } = {
      cwd: project,
      home,
      env: {},
      managed: join(top, "none"),
      trust: trusting,
    };
    expect(await readConfig(rest)).toMatchObject({ diagnostics: [], untrusted: "trust was not asked for" });
  });
});

describe("files that are refused make the configuration void", () => {
  test.each([
    [
      "everybody may write to it",
      () => chmod(inProject("toolkeep.json"), 0o666),
      /everybody may write to it/,
    ],
    ["it is a folder", () => replace(() => mkdir(inProject("toolkeep.json"))), /it is not a file/],
    ["it leads out", () => replace(() => symlink(join(top, "x"), inProject("toolkeep.json"))), /leads out/],
    [
      "it is large",
      () => putFile(inProject("toolkeep.json"), " ".repeat(1_000_001)),
      /larger than 1000000 bytes/,
    ],
    ["there are two", () => putFile(inProject(".toolkeep/config.json"), {}), /only one of them can apply/],
  ])("%s", async (_why, spoil, expected) => {
    putFile(join(top, "x"), {});
    putFile(inProject("toolkeep.json"), {});
    expect((await read()).diagnostics).toEqual([]);
    await spoil();
    const { config, diagnostics } = await read();
    expect(config).toBeUndefined();
    expect(diagnostics.map(formatConfigDiagnostic)).toEqual([expect.stringMatching(expected)]);
  });

  async function replace(make: () => Promise<unknown>): Promise<void> {
    await rm(inProject("toolkeep.json"));
    await make();
  }
});
