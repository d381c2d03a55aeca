import { createRegistry, createSession, defineTool, type Tool, ToolFailure } from "@toolkeep/core";
import { effect, fsRead, fsWrite, joinCommand, netFetch } from "@toolkeep/core/internal";
import type { EffectResolver, TaskRunner } from "@toolkeep/core/ports";
import { fakeIo, scriptedApprover } from "@toolkeep/core/testing";
import { describe, expect, test } from "vitest";
import { z } from "zod";

/** Stubs of tools that later packages bring: they show that the ports carry what such tools need. */

const bash = defineTool({
  name: "bash",
  description: "Runs one command.",
  inputSchema: z.object({ command: z.string().min(1) }),
  requires: { capabilities: ["shell.run"], fs: { read: ["/**"], write: ["/repo/**"] } },
  mode: "local",
  kind: "execute",
  maxOutput: { bytes: 50 },
  async effects({ command }, resolver) {
    const parsed = await resolver.parseCommand(command);
    if (!parsed.plain) throw new ToolFailure("effects_failed", `this command is not plain: ${parsed.reason}`);
    return parsed.commands.flatMap(({ argv, redirects }) => [
      { ...effect("shell.run", joinCommand(argv)), known: "inferred" as const },
      ...redirects.map(({ access, path }) => (access === "write" ? fsWrite(path) : fsRead(path))),
    ]);
  },
  async execute({ command }, { io, output }) {
    const { exitCode } = await io.commands.run({
      argv: ["bash", "-c", command],
      onOutput: (chunk) => output.write(chunk),
    });
    return { exitCode };
  },
});

const grep = defineTool({
  name: "grep",
  description: "Searches files.",
  inputSchema: {
    type: "object",
    properties: { pattern: { type: "string" }, limit: { type: "integer", default: 2 } },
    required: ["pattern"],
  },
  requires: { fs: { read: ["{workspace}/**"] } },
  mode: "read",
  kind: "search",
  async execute({ pattern, limit }, { io }) {
    const matches: string[] = [];
    for await (const { path, line } of io.files.search({ root: "/repo", pattern, limit }))
      matches.push(`${path}:${line}`);
    return { matches };
  },
});

const question = defineTool({
  name: "question",
  description: "Asks the user.",
  inputSchema: z.object({
    questions: z.array(z.object({ question: z.string(), multi_select: z.boolean().optional() })),
  }),
  requires: {},
  gated: false,
  async execute({ questions }, ctx) {
    const answers = await ctx.ask(
      questions.map(({ question: words, multi_select }) => ({
        question: words,
        multiSelect: multi_select ?? false,
      })),
    );
    return { answers };
  },
});

const task = defineTool({
  name: "task",
  description: "Hands work to a subagent.",
  inputSchema: z.object({
    subagent_type: z.string(),
    prompt: z.string(),
    background: z.boolean().default(false),
  }),
  requires: { capabilities: ["agent.spawn"] },
  effects: ({ subagent_type }) => [effect("agent.spawn", subagent_type)],
  async execute({ subagent_type, prompt, background }, ctx) {
    const outcome = await ctx.spawn({ agent: subagent_type, prompt }, { detached: background });
    return outcome.status === "done" ? { output: outcome.text } : { session_id: outcome.childId };
  },
});

/** Code mode: a program whose calls are governed one by one. */
const code = defineTool({
  name: "code",
  description: "Runs a small program of tool calls.",
  inputSchema: z.object({
    program: z.array(z.object({ tool: z.string(), args: z.record(z.string(), z.unknown()) })),
  }),
  requires: {},
  resumable: true,
  async execute({ program }, ctx) {
    const results = [];
    for (const { tool, args } of program) {
      const result = await ctx.call(tool, args);
      results.push(result.ok ? result.data : result.failure?.code);
    }
    return results;
  },
});

/** A language server: a process that is talked to while it runs. */
const lsp = defineTool({
  name: "lsp",
  description: "Asks a language server.",
  inputSchema: z.object({ method: z.string() }),
  requires: { shell: [{ cmd: "language-server" }] },
  async execute({ method }, { io, abortSignal }) {
    const server = await io.commands.start({ argv: ["language-server", "--stdio"] });
    abortSignal.addEventListener("abort", () => void server.kill());
    const writer = server.stdin.getWriter();
    await writer.write(new TextEncoder().encode(`${method}\n`));
    await writer.close();
    let said = "";
    for await (const chunk of server.stdout) said += new TextDecoder().decode(chunk);
    await server.kill();
    return { said, ended: await server.exited };
  },
});

const fetchPage = defineTool({
  name: "docs_fetch",
  description: "Fetches a page through an MCP server.",
  inputSchema: { type: "object", properties: { host: { type: "string" } }, required: ["host"] },
  requires: { net: { hosts: ["*"] } },
  remote: { serverId: "docs", tool: "fetch" },
  effects: ({ host }) => [netFetch(host)],
  async execute({ host }, { io }) {
    const response = await io.network.fetch({ url: `https://${host}/` });
    return { status: response.status, body: await new Response(response.body).text() };
  },
});

const resolver: EffectResolver = {
  canonicalPath: async (path) => path,
  async parseCommand(line) {
    if (line.includes("$(")) return { plain: false, reason: "it has a substitution" };
    const [command = "", target] = line.split(" > ");
    const redirects = target === undefined ? [] : [{ access: "write" as const, path: target }];
    return { plain: true, commands: [{ argv: command.split(" "), redirects }] };
  },
};

async function scripted(tool: Tool, args: Record<string, unknown>, more: object = {}) {
  const world = fakeIo({
    files: { "/repo/a.ts": "one\nneedle\n", "/repo/b.ts": "needle\nneedle" },
    fetch: () => ({ status: 200, body: "page" }),
    run: (command) => ({
      exitCode: 0,
      output: "argv" in command && command.argv[0] === "bash" ? "x\n".repeat(100) : "ready\n",
    }),
  });
  const approver = scriptedApprover("once", () => [["blue"], ["a", "b"]]);
  const tasks: TaskRunner = {
    run: async ({ agent }, { key, detached }) =>
      detached
        ? { status: "started", childId: key }
        : { status: "done", childId: key, text: `${agent} is done` },
  };
  const session = await createSession({
    tools: tool === (grep as Tool) ? [grep] : [tool, grep],
    id: "s",
    approver,
    resolver,
    grantIo: world.grantIo,
    tasks,
    variables: { workspace: ["/repo"] },
    ...more,
  });
  return {
    result: await session.call({ id: "c", name: tool.name, arguments: args }),
    approver,
    world,
    session,
  };
}

describe("the ports carry", () => {
  test("a shell tool: parsed commands, redirects as file effects, bounded output", async () => {
    const { result, approver } = await scripted(bash, { command: "ls -l > /repo/out" });
    expect(approver.requests[0]?.effects).toEqual([
      { capability: "shell.run", target: "ls -l", known: "inferred" },
      { capability: "fs.write", target: "/repo/out", known: "declared" },
    ]);
    expect(result).toMatchObject({ ok: true, data: { exitCode: 0 }, truncation: { kept: 50, lost: 150 } });
    expect((await scripted(bash, { command: "ls > /etc/x" })).result.failure?.code).toBe("out_of_scope");
    expect((await scripted(bash, { command: "echo $(id)" })).result.failure?.message).toContain("not plain");
  });

  test("a search tool: reading alone, through the io", async () => {
    const { result, world } = await scripted(grep, { pattern: "needle" });
    expect(result.data).toEqual({ matches: ["/repo/a.ts:2", "/repo/b.ts:1"] });
    expect(world.accesses).toEqual(["search /repo"]);
  });

  test("a question: answered by the user, refused without an approver", async () => {
    const args = { questions: [{ question: "Colour?" }, { question: "Which?", multi_select: true }] };
    expect((await scripted(question, args)).result.data).toEqual({ answers: [["blue"], ["a", "b"]] });
    const alone = await scripted(question, args, { approver: undefined });
    expect(alone.result.failure?.message).toContain("No approver is configured");
  });

  test("a subagent: blocking, or in the background under the call's own key", async () => {
    const ask = { subagent_type: "reviewer", prompt: "look" };
    expect((await scripted(task, ask)).result.data).toEqual({ output: "reviewer is done" });
    expect((await scripted(task, { ...ask, background: true })).result.data).toEqual({
      session_id: "s/t1/c/1",
    });
  });

  test("code mode: every nested call is governed on its own", async () => {
    const program = [
      { tool: "grep", args: { pattern: "needle" } },
      { tool: "grep", args: { pattern: 3 } },
      { tool: "nothing", args: {} },
    ];
    const { result } = await scripted(code, { program });
    expect(result.data).toEqual([
      { matches: ["/repo/a.ts:2", "/repo/b.ts:1"] },
      "invalid_arguments",
      "not_found",
    ]);
  });

  test("a language server: a process with both ends of a pipe", async () => {
    const { result } = await scripted(lsp, { method: "hover" });
    expect(result.data).toEqual({ said: "ready\nhover\n", ended: { exitCode: null, signal: "SIGKILL" } });
  });

  test("a remote tool: registered by its server, found under its address", async () => {
    const world = fakeIo({ fetch: () => ({ status: 200, body: "page" }) });
    const registry = createRegistry();
    registry.register(fetchPage, { origin: { layer: "user", source: "mcp", id: "docs" } });
    const remote = await createSession({
      registry,
      grantIo: world.grantIo,
      approver: scriptedApprover("once"),
    });
    const result = await remote.call({ id: "1", name: "mcp:docs:fetch", arguments: { host: "a.example" } });
    expect(result).toMatchObject({ toolName: "docs_fetch", data: { status: 200, body: "page" } });
  });
});
