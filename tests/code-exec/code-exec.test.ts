import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSession, type SessionOptions, type ToolResult } from "@toolkeep/core";
import { modelText } from "@toolkeep/core/formats";
import { dangerousActions, RECOMMENDED_POLICY, roleFlags } from "@toolkeep/core/policy";
import type { CodeOutcome } from "@toolkeep/core/ports";
import { fakeIo, scriptedApprover, toolConformance } from "@toolkeep/core/testing";
import { noSandbox, openWorkspace } from "@toolkeep/node";
import { codeTools, managerTools } from "@toolkeep/tools";
import { afterAll, beforeAll, expect, test } from "vitest";
import { codeExecTool } from "../../packages/tools/src/code-exec/code-exec-tool.ts";
import { ALLOW } from "../scenario.ts";
import { commandBench, request } from "../tools/command-bench.ts";

const PYTHON = "/usr/bin/python3";
const has = (modules: string) => spawnSync(PYTHON, ["-I", "-c", `import ${modules}`]).status === 0;
const hasPython = has("sys");
const hasFigures = has("numpy, matplotlib");

let bench: Awaited<ReturnType<typeof commandBench>>;
beforeAll(async () => {
  bench = await commandBench();
});
afterAll(() => bench.close());

interface CodeArguments {
  readonly code: string;
  readonly language?: "javascript" | "python";
  readonly timeoutMs?: number;
}

async function run(args: CodeArguments, options: SessionOptions = {}): Promise<ToolResult> {
  await using session = await bench.session([codeExecTool()], options);
  return await session.call(request("code_exec", { ...args }));
}

const javascript = async (code: string): Promise<CodeOutcome> =>
  (await run({ language: "javascript", code })).data as CodeOutcome;

const python = async (code: string): Promise<CodeOutcome> => (await run({ code })).data as CodeOutcome;

test("[C56] JavaScript returns what it prints, its value as JSON, and its error with the line", async () => {
  const shown = await run({ language: "javascript", code: "console.log('a', { b: 1 });\n({ c: [1, 2] })" });
  expect(shown.data).toEqual({
    language: "javascript",
    output: 'a {"b":1}\n',
    value: '{"c":[1,2]}',
    figures: 0,
  });
  expect(modelText(shown)).toBe('a {"b":1}\nValue: {"c":[1,2]}');
  const outcomes = {
    "const a = 1;\nb()": { error: { message: "ReferenceError: b is not defined", line: 2 } },
    "a b": { error: { message: expect.stringContaining("SyntaxError"), line: 1 } },
    "(async () => { await 1; return 5; })()": { value: "5" },
    "Promise.reject(new Error('no'))": { error: { message: "Error: no", line: 1 } },
    "new Promise(() => {})": { error: { message: expect.stringContaining("never settled") } },
    "throw 5": { error: { message: "5" } },
    "globalThis.kept = (globalThis.kept ?? 0) + 1": { value: "1" },
    "'x'.repeat(200_000)": { value: expect.stringMatching(/characters more\]$/) },
  };
  const found = await Promise.all(Object.keys(outcomes).map(async (code) => [code, await javascript(code)]));
  expect(Object.fromEntries(found)).toMatchObject(outcomes);
});

test.skipIf(!hasPython)("[C56] Python does the same (skipped without python3)", async () => {
  const code = "import math\nprint('a')\n{'root': math.sqrt(4)}";
  const shown = await run({ code });
  expect(shown.data).toEqual({ language: "python", output: "a\n", value: '{"root": 2.0}', figures: 0 });
  expect(await python("a = 1\ndef f():\n  return b\nf()")).toMatchObject({
    error: { message: "NameError: name 'b' is not defined", line: 3 },
  });
  expect(await python("a b")).toMatchObject({ error: { message: /^SyntaxError/, line: 1 } });
  expect(await python("{1}")).toMatchObject({ value: "{1}" });
  expect(await python("import sys\nsys.exit(3)")).toMatchObject({ error: { message: /exit code 3/ } });
  expect(await python("import os\nos.abort()")).toMatchObject({ error: { message: /exit code 134/ } });
  const forged = await python(
    "import json, sys\nsys.stdout.write(sys.argv[1] + json.dumps({'figures': ['eA=='] * 9, 'value': 1}))\nsys.stdout.flush()\nimport os; os._exit(0)",
  );
  expect(forged).toEqual({ language: "python", output: "", figures: 0 });
});

test.skipIf(!hasFigures)(
  "[C125] Python has math, numpy and matplotlib, and open figures are in the result (skipped without them)",
  async () => {
    const code = `
import math
import numpy as np
import matplotlib.pyplot as plt
for power in range(1, 7):
    plt.figure()
    plt.plot(np.arange(5) ** power)
plt.show()
math.floor(np.mean([1, 2, 6]))
`;
    const before = readdirSync(tmpdir()).filter((name) => name.includes("matplotlib"));
    const { data, content = [], failure } = await run({ code });
    expect(failure).toBeUndefined();
    expect(data).toEqual({ language: "python", output: "", value: "3", figures: 4 });
    const images = content.flatMap((block) => (block.type === "image" ? [block] : []));
    expect(images.map(({ mimeType, alt }) => [mimeType, alt])).toEqual(
      [1, 2, 3, 4].map((number) => ["image/png", `figure ${number}`]),
    );
    const [first, second] = images.map((image) => Buffer.from(image.data, "base64"));
    expect(first?.subarray(0, 8).toString("latin1")).toBe("\x89PNG\r\n\x1a\n");
    expect([first?.readUInt32BE(16), first?.readUInt32BE(20)]).toEqual([640, 480]);
    expect(first).not.toEqual(second);
    expect(readdirSync(tmpdir()).filter((name) => name.includes("matplotlib"))).toEqual(before);
  },
);

test("[C56] Python never runs without a sandbox; JavaScript needs none", async () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "toolkeep-bare-")));
  try {
    await using workspace = await openWorkspace({ roots: [root], sandbox: noSandbox() });
    await using session = await workspace.createSession({ tools: [codeExecTool()], policy: ALLOW });
    const refused = await session.call(request("code_exec", { code: "open('made', 'w')" }));
    expect(refused.failure).toMatchObject({ code: "unavailable", message: /runs in a sandbox alone/ });
    expect(refused.failure?.hint).toMatch(/[Ii]nstall/);
    expect(readdirSync(root)).toEqual([]);
    const counted = await session.call(request("code_exec", { language: "javascript", code: "1 + 1" }, "c2"));
    expect(counted.data).toMatchObject({ value: "2" });
  } finally {
    rmSync(root, { recursive: true });
  }
});

test("[C81] rules and approvals see code_exec: it asks with its code, and a no or a rule stops it", async () => {
  const args = { language: "javascript", code: "1 + 1" } as const;
  for (const policy of [{}, { rules: ALLOW, watchdogs: [dangerousActions()] }, RECOMMENDED_POLICY]) {
    const approver = scriptedApprover(["once", "reject"].map((verdict) => ({ verdict, by: "me" }) as never));
    await using session = await bench.session([codeExecTool()], { policy, approver });
    expect((await session.call(request("code_exec", args, "c1"))).data).toMatchObject({ value: "2" });
    expect((await session.call(request("code_exec", args, "c2"))).failure?.code).toBe("denied");
    expect(approver.requests).toMatchObject([
      { toolName: "code_exec", arguments: args, effects: [{ capability: "code.run", target: "javascript" }] },
      { toolName: "code_exec" },
    ]);
  }
  const rules = ["allow code_exec", "deny code.run python"];
  expect((await run(args, { policy: rules })).data).toMatchObject({ value: "2" });
  expect((await run({ code: "1" }, { policy: rules })).failure?.code).toBe("denied");
  expect((await run(args, { policy: ["allow *", "deny code_exec"] })).failure?.code).toBe("denied");
});

test("[C82] ALLOW_CODE_EXECUTION switches it off", async () => {
  const policy = { rules: ALLOW, watchdogs: [roleFlags({ ALLOW_CODE_EXECUTION: false })] };
  const { failure } = await run({ language: "javascript", code: "1" }, { policy });
  expect(failure).toMatchObject({ code: "denied", message: /ALLOW_CODE_EXECUTION is off/ });
});

test("it keeps to the contract, stops when it is cancelled, and says what a session lacks", async () => {
  const options = bench.workspace.sessionOptions();
  const errors = await toolConformance(codeExecTool() as never, {
    grantIo: options.grantIo,
    resolver: options.resolver,
    examples: [{ language: "javascript", code: "1" }],
    refuses: [{}, { code: "" }, { code: "1", language: "ruby" }, { code: "1", timeoutMs: 60_001 }],
    longRunning: { language: "javascript", code: "for (;;);" },
  });
  expect(errors).toEqual([]);
  await using session = await createSession({
    tools: [codeExecTool() as never],
    policy: ALLOW,
    grantIo: fakeIo().grantIo,
  });
  const { failure } = await session.call(request("code_exec", { code: "1" }));
  expect(failure).toMatchObject({ code: "unavailable", hint: /openWorkspace/ });
});

test("[C56] both sets of tools for code have it", () => {
  for (const tools of [codeTools(), managerTools()])
    expect(tools.map(({ name }) => name)).toContain("code_exec");
});
