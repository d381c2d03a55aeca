import { chmodSync, chownSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { defineTool } from "@toolkeep/core";
import { fsRead } from "@toolkeep/core/internal";
import { commandEffects } from "@toolkeep/core/ports";
import { openSqliteStore } from "@toolkeep/sqlite";
import { beforeEach, describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../../tests/temporary-folder.ts";
import { noSandbox } from "../sandbox/open-sandbox.ts";
import { openWorkspace } from "./open-workspace.ts";
import type { WorkspaceOptions } from "./workspace.ts";

let base: string;
let root: string;

beforeEach(() => {
  base = temporaryFolder();
  root = join(base, "root");
  mkdirSync(join(base, "second"));
  mkdirSync(root);
  writeFileSync(join(root, "a.txt"), "first");
  writeFileSync(join(base, "second/b.txt"), "second");
  chmodSync(base, 0o711);
  if (process.getuid?.() === 0) chownSync(root, 12_345, 12_345);
});

const read = defineTool({
  name: "read",
  description: "Reads a file.",
  inputSchema: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
  requires: { fs: { read: ["{workspace}/**"] } },
  effects: ({ path }) => [fsRead(path)],
  async execute({ path }, { io }) {
    return new TextDecoder().decode((await io.files.read(path)).bytes);
  },
});

const bash = defineTool({
  name: "bash",
  description: "Runs a command.",
  inputSchema: { type: "object", properties: { command: { type: "string" } }, required: ["command"] },
  requires: { fs: { read: ["{workspace}/**"] }, capabilities: ["shell.run", "shell.dynamic"] },
  effects: async ({ command }, resolver) => commandEffects(await resolver.parseCommand(command), command),
  async execute({ command }, { io }) {
    const { output } = await io.commands.run({ line: command, keepBytes: 100 });
    return { size: output?.size, path: output?.path };
  },
});

const fetchKept = defineTool({
  name: "kept",
  description: "Reads what was kept.",
  inputSchema: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
  requires: {},
  effects: () => [],
  execute: async ({ path }, { results }) => (await results.read(path)).length,
});

const ALLOW = [{ permission: "*", action: "allow" as const }];

function options(more: Partial<WorkspaceOptions> = {}): WorkspaceOptions {
  return {
    roots: [root, join(base, "second")],
    sidecars: join(base, "sidecars"),
    sandbox: noSandbox(),
    ...more,
  };
}

describe("a workspace", () => {
  test("[C67] gives tools I/O that reaches its folders, by relative paths in the first, and nothing else", async () => {
    const workspace = await openWorkspace(options());
    const session = await workspace.createSession({ tools: [read], policy: ALLOW });
    const reading = (path: string) =>
      session.call({ id: path.replaceAll("/", "-"), name: "read", arguments: { path } });
    expect((await reading("a.txt")).data).toBe("first");
    expect((await reading(join(base, "second/b.txt"))).data).toBe("second");
    expect((await reading("../second/b.txt")).data).toBe("second");
    expect((await reading("/etc/passwd")).failure?.code).toBe("out_of_scope");
    await session.close();
    await workspace.close();
  });

  test("[C122] expands the variables that were declared for it, in paths and in hosts", async () => {
    mkdirSync(join(root, "acme"));
    writeFileSync(join(root, "acme/a.txt"), "of acme");
    const requires = { fs: { read: ["{workspace}/{tenant}/**"] }, net: { hosts: ["{tenant}.example.org"] } };
    await using workspace = await openWorkspace(options({ variables: { tenant: ["acme"] } }));
    await using session = await workspace.createSession({
      tools: [defineTool({ ...read, requires })],
      policy: ["allow fs.read {workspace}/{tenant}/**"],
    });
    expect((await session.call("read", { path: "acme/a.txt" })).data).toBe("of acme");
    expect((await session.call("read", { path: "a.txt" })).failure?.code).toBe("out_of_scope");
  });

  test("[C68] passes on no environment value that was not declared", async () => {
    const values = { SECRET: "s3cr3t", SHOWN: "yes" };
    const workspace = await openWorkspace(options({ environment: { values } }));
    const told = defineTool({
      ...read,
      name: "told",
      requires: { env: ["SHOWN"] },
      effects: ({ path }) => [{ capability: "env.read", target: path }],
      execute: async ({ path }, { io }) => io.environment.read(path) ?? "nothing",
    });
    const session = await workspace.createSession({
      tools: [told],
      policy: { rules: ALLOW, builtIn: "off" },
    });
    const tell = (path: string) => session.call({ id: path, name: "told", arguments: { path } });
    expect((await tell("SHOWN")).data).toBe("yes");
    expect((await tell("SECRET")).failure?.code).toBe("out_of_scope");
    await session.close();
    await workspace.close();
  });

  test("continues a session that was parked, with what that session kept", async () => {
    const folder = join(base, "store");
    const rules = [...ALLOW, { permission: "kept", action: "ask" as const }];
    const tools = [bash, fetchKept];
    const first = openSqliteStore({ path: folder });
    const before = await openWorkspace(options({ store: first }));
    const leaving = await before.createSession({
      id: "s1",
      tools,
      policy: rules,
      approver: async () => "later",
    });
    const run = await leaving.call({ id: "c1", name: "bash", arguments: { command: "seq 1 1000" } });
    const { path = "", size } = run.data as { path?: string; size: number };
    const parked = await leaving.run([{ id: "c2", name: "kept", arguments: { path } }]);
    expect(parked.status).toBe("waiting");
    await leaving.close();
    await before.close();
    await first.close();

    const second = openSqliteStore({ path: folder });
    const after = await openWorkspace(options({ store: second }));
    await expect(
      after.createSession({ id: "s1", tools, policy: [{ permission: "*" }] as never }),
    ).rejects.toThrow();
    const session = await after.createSession({ id: "s1", tools, policy: rules });
    const [request] = await session.waiting();
    await session.answer(request?.id ?? "", { verdict: "once" });
    expect((await session.resume("t2")).results[0]).toMatchObject({ ok: true, data: size });
    await session.close();
    await after.close();
    await second.close();
  });

  test.each([
    ["a folder that is not there", () => options({ roots: [join(base, "none")] })],
    ["a root that is a file", () => options({ roots: [join(root, "a.txt")] })],
    ["no root", () => options({ roots: [] as never })],
    ["an unknown option", () => ({ ...options(), sandox: 1 }) as WorkspaceOptions],
    ["an invalid port", () => options({ network: { ports: [99_999] } })],
    ["a file as the folder for outputs", () => options({ sidecars: join(root, "a.txt") })],
    ["a variable that it sets itself", () => options({ variables: { workspace: ["/"] } })],
    ["a pattern as the value of a variable", () => options({ variables: { tenant: ["*"] } })],
    ["an ad-hoc file by a relative path", () => options({ adHoc: ["a.txt"] })],
  ])("is not opened with %s", async (_what, wrong) => {
    await expect(openWorkspace(wrong())).rejects.toMatchObject({ code: "invalid_option" });
  });
});
