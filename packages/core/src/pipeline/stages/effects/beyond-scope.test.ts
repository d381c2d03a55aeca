import { describe, expect, test } from "vitest";
import { fsRead, fsWrite, netFetch } from "../../../contract/call/effect.ts";
import type { ToolFailure } from "../../../contract/call/result.ts";
import type { EffectResolver } from "../../../contract/io/resolve-effects.ts";
import type { Rule } from "../../../contract/policy/rule.ts";
import type { Grant } from "../../../contract/stages/grant.ts";
import { defineTool } from "../../../contract/tool/define-tool.ts";
import { withRegistration } from "../../../registry/tool-registration.ts";
import { createSession } from "../../../session/create-session.ts";
import { fakeIo } from "../../../testing/fake-io.ts";
import { scriptedApprover } from "../../../testing/scripted-approver.ts";

const plain = defineTool({
  name: "show",
  description: "Reads a file.",
  inputSchema: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
  requires: { fs: { read: ["{workspace}/**"] } },
  effects: ({ path }) => [fsRead(path)],
  async execute({ path }, { io }) {
    return new TextDecoder().decode((await io.files.read(path)).bytes);
  },
});

const show = withRegistration(plain, { origin: { layer: "bundled", source: "bundled" } });

const ALLOW_ALL: Rule = { permission: "*", action: "allow" };
const REASON =
  'show was declared for the workspace; this reads /opt/x. Allowed by: `allow fs.read "/opt/x"`.';

async function reading(path: string, options: object = {}, tool: object = show) {
  const approver = scriptedApprover("once");
  const io = fakeIo({ files: { "/opt/x": "outside", "/ws/a": "inside", "/opt/y": "other" } });
  await using session = await createSession({
    tools: [tool as never],
    variables: { workspace: ["/ws"] },
    grantIo: io.grantIo,
    approver,
    ...options,
  });
  const result = await session.call({ id: "c", name: "show", arguments: { path } });
  return { result, asked: approver.requests.map(({ reason }) => reason) };
}

describe("files that a standard tool was not declared for", () => {
  test("are asked about with a plain reason, and an approval opens exactly them", async () => {
    const { result, asked } = await reading("/opt/x");
    expect(asked).toEqual([REASON]);
    expect(result).toMatchObject({ ok: true, data: "outside" });
  });

  test("an approval opens nothing else to the call", async () => {
    const codes: unknown[] = [];
    const io = fakeIo({ files: { "/opt/x": "outside" } });
    const grantIo = (grant: Grant) => {
      for (const access of [fsRead("/opt/x"), fsRead("/opt/y"), fsWrite("/opt/x")])
        try {
          codes.push(grant.check(access) ?? "passes");
        } catch (error) {
          codes.push((error as ToolFailure).code);
        }
      return io.grantIo(grant);
    };
    await reading("/opt/x", { grantIo });
    expect(codes).toEqual(["passes", "out_of_scope", "out_of_scope"]);
  });

  test("nothing is read where no approver is configured", async () => {
    const { result } = await reading("/opt/x", { approver: undefined });
    expect(result.failure?.code).toBe("denied");
  });

  test.each([
    ["a rule about everything", { policy: [ALLOW_ALL] }],
    ["a rule about the tool", { policy: [{ permission: "show", action: "allow" } as const] }],
    ["the mode yolo", { policy: { mode: "yolo" as const } }],
  ])("%s is no answer: it asks all the same", async (_what, options) => {
    const { result, asked } = await reading("/opt/x", options);
    expect(asked).toEqual([REASON]);
    expect(result.ok).toBe(true);
    expect((await reading("/opt/x", { ...options, approver: undefined })).result.failure?.code).toBe(
      "denied",
    );
    expect((await reading("/ws/a", options)).asked).toEqual([]);
  });

  test("a rule on these files answers, and a deny denies", async () => {
    const allowed = await reading("/opt/x", { policy: [ALLOW_ALL, 'allow fs.read "/opt/**"'] });
    expect(allowed).toMatchObject({ asked: [], result: { ok: true } });
    const denied = await reading("/opt/x", { policy: [ALLOW_ALL, 'deny fs.read "/opt/**"'] });
    expect(denied).toMatchObject({ asked: [], result: { failure: { code: "denied" } } });
  });

  test("`always` is remembered for these files, under a rule about everything too", async () => {
    const approver = scriptedApprover("always");
    const io = fakeIo({ files: { "/opt/x": "outside", "/opt/y": "other" } });
    await using session = await createSession({
      tools: [show],
      policy: [ALLOW_ALL],
      variables: { workspace: ["/ws"] },
      grantIo: io.grantIo,
      approver,
    });
    for (const [id, path] of [
      ["1", "/opt/x"],
      ["2", "/opt/x"],
      ["3", "/opt/y"],
    ] as const)
      expect((await session.call({ id, name: "show", arguments: { path } })).ok).toBe(true);
    expect(approver.requests).toHaveLength(2);
  });

  test("a ceiling is never asked about: of the session or of its parent", async () => {
    const ceiling = { fs: { read: ["{workspace}/**"] } };
    const own = await reading("/opt/x", { ceiling });
    expect(own).toMatchObject({ asked: [], result: { failure: { code: "out_of_scope" } } });
    await using parent = await createSession({ ceiling, variables: { workspace: ["/ws"] } });
    const inherited = await reading("/opt/x", {
      parent: parent.childContext("child"),
      variables: undefined,
      approver: undefined,
    });
    expect(inherited.result.failure?.code).toBe("out_of_scope");
  });

  test("the explanation ends with the question", async () => {
    await using session = await createSession({
      tools: [show],
      policy: [ALLOW_ALL],
      variables: { workspace: ["/ws"] },
    });
    const explained = await session.explain({ id: "c", name: "show", arguments: { path: "/opt/x" } });
    expect(explained.explanation?.decision).toMatchObject({ action: "ask", reason: REASON });
    expect(explained.explanation?.steps.at(-1)).toMatchObject({ said: "ask", how: "narrows" });
  });

  test("another tool is refused as before, and so is anything but files", async () => {
    expect((await reading("/opt/x", {}, plain)).result.failure?.code).toBe("out_of_scope");
    const fetching = withRegistration(defineTool({ ...plain, effects: () => [netFetch("evil.example")] }), {
      origin: { layer: "bundled", source: "bundled" },
    });
    expect((await reading("/opt/x", {}, fetching)).result.failure?.code).toBe("out_of_scope");
  });
});

describe("what the sandbox shows to every command", () => {
  const resolver: EffectResolver = {
    canonicalPath: async (path) => (path === "/usr/link" ? "/etc/shadow" : path),
    parseCommand: async () => ({ plain: false, reason: "none" }),
    isShown: ({ capability, target }) =>
      target.startsWith("/tmp/") || (capability === "fs.read" && target.startsWith("/usr/")),
  };
  const command = (effects: readonly object[], isCommand = true) =>
    defineTool({
      ...plain,
      requires: { fs: { read: ["{workspace}/**"] }, capabilities: ["shell.run", "shell.dynamic"] },
      effects: () => [
        ...(isCommand ? [{ capability: "shell.run", target: "ls", known: "inferred" as const }] : []),
        ...(effects as ReturnType<typeof fsRead>[]).map((effect) => ({
          ...effect,
          known: "inferred" as const,
        })),
      ],
      execute: async () => "ran",
    });
  const policy = [{ permission: "shell.run", action: "allow" as const }];

  test("needs no rule and no requirement, and a rule can forbid it", async () => {
    const tool = command([fsRead("/usr/bin"), fsWrite("/tmp/x")]);
    expect(await reading("-", { resolver, policy }, tool)).toMatchObject({ asked: [], result: { ok: true } });
    const strict = [...policy, 'deny fs.write "/tmp/**"'];
    expect((await reading("-", { resolver, policy: strict }, tool)).result.failure?.code).toBe("denied");
  });

  test("is told by where a path leads, not by its name; and only writing to the folder for temporary files is", async () => {
    for (const effect of [fsRead("/usr/link"), fsWrite("/usr/bin/x")])
      expect((await reading("-", { resolver, policy }, command([effect]))).result.failure?.code).toBe(
        "out_of_scope",
      );
  });

  test("is nothing to a tool that runs no command, but for temporary files of a standard tool, and never above a ceiling", async () => {
    const reader = command([fsRead("/usr/bin")], false);
    expect((await reading("-", { resolver, policy }, reader)).result.failure?.code).toBe("out_of_scope");
    const temporary = command([fsWrite("/tmp/x")], false);
    expect((await reading("-", { resolver, policy }, temporary)).result.failure?.code).toBe("out_of_scope");
    const standard = withRegistration(temporary, { origin: { layer: "bundled", source: "bundled" } });
    expect(await reading("-", { resolver, policy }, standard)).toMatchObject({
      asked: [],
      result: { ok: true },
    });
    const ceiling = { fs: { read: ["{workspace}/**"] }, capabilities: ["shell.run"] };
    const tool = command([fsRead("/usr/bin")]);
    expect((await reading("-", { resolver, policy, ceiling }, tool)).result.failure?.code).toBe(
      "out_of_scope",
    );
  });

  test("a file that a line computes is one of those that are open: the line is decided about", async () => {
    const dynamic = { capability: "shell.dynamic", target: "echo > $T" };
    const tool = command([dynamic as never, fsWrite("/**")]);
    expect((await reading("-", { resolver, policy }, tool)).asked).toHaveLength(1);
    const rules = [...policy, "allow shell.dynamic", 'deny fs.* "**/.ssh/**"'];
    expect((await reading("-", { resolver, policy: rules }, tool)).result.ok).toBe(true);
    const leaving = command([dynamic as never, fsWrite("/**"), { capability: "sandbox.leave", target: "x" }]);
    const outside = {
      ...leaving,
      requires: { capabilities: ["shell.run", "shell.dynamic", "sandbox.leave"] },
    };
    const all = [...rules, "allow sandbox.leave"];
    expect((await reading("-", { resolver, policy: all }, outside)).result.failure?.code).toBe(
      "out_of_scope",
    );
    const { isShown: _none, ...without } = resolver;
    expect((await reading("-", { resolver: without, policy: rules }, tool)).result.ok).toBe(false);
  });
});
