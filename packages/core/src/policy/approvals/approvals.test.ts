import { describe, expect, test } from "vitest";
import type { ApprovalAnswer, ApprovalRequest, Approver } from "../../contract/approval/approval.ts";
import { effect, fsWrite, netFetch, shellRun } from "../../contract/call/effect.ts";
import { policyCall } from "../rules/policy-call.ts";
import { visible } from "../shown/visible.ts";
import { approvalBroker, groupedApprover } from "./approvers.ts";
import { promptLines } from "./prompt-lines.ts";
import { suggestRules } from "./suggest-rules.ts";

const request = (more: Partial<ApprovalRequest> = {}): ApprovalRequest => ({
  id: "t1/c1",
  sessionId: "s1",
  callId: "c1",
  toolName: "bash",
  label: "Bash",
  origin: { layer: "code", source: "code" },
  arguments: {},
  effects: [shellRun(["ls"])],
  approvalKey: "ls",
  reason: "No policy rule matches this call.",
  askedBy: ["rules"],
  agents: [],
  principal: { role: "agent", workspace: "main" },
  treatment: { base: "ask", show: "consent" },
  binding: { arguments: "aa", definition: "bb" },
  mayRemember: true,
  suggestions: [],
  batch: { id: "t1", index: 0, size: 1 },
  lines: [],
  ...more,
});

const never = new AbortController().signal;
const says = (answer: ApprovalAnswer | "later", afterMs = 0): Approver => ({
  approve: () => new Promise((resolve) => setTimeout(() => resolve(answer), afterMs)),
});

describe("what a person sees", () => {
  test.each([
    ["ls \u001b[2K\u001b[1Gecho safe", "ls \\x1b[2K\\x1b[1Gecho safe"],
    ["ls \rrm -rf x", "ls \\rrm -rf x"],
    ["rm -rf \u202etxt.a", "rm -rf <U+202E>txt.a"],
    ["r\u200dm x", "r<U+200D>m x"],
    ["ls \u{e0072}\u{e006d}", "ls <U+E0072><U+E006D>"],
    ["a\u00a0b\u3000c", "a\\xa0b<U+3000>c"],
    ["\u0455\u0443\u0455tem", "\u0455\u0443\u0455tem<mixed scripts>"],
    ["curl https://g\u0456thub.com/x", "curl https://xn--gthub-n2e.com/x"],
    ["один два", "один два"],
    ["a\n\nb", "a\u23ce\u23ceb"],
    ["a\\nb \u23ce", "a\\nb <U+23CE>"],
    ["echo x<1500 characters left out>y", "echo x\\x3c1500 characters left out>y"],
    ["rm <9 spaces>", "rm \\x3c9 spaces>"],
    ["a<U+202E>b a<mixed scripts>", "a\\x3cU+202E>b a\\x3cmixed scripts>"],
    ["curl a.io<not plain: U+2044>", "curl a.io\\x3cnot plain: U+2044>"],
    ["git clone evil.io<github.com>:a", "git clone evil.io\\x3cgithub.com>:a"],
    ["git clone a.io<xn--ithub-qmc.com>", "git clone a.io\\x3cxn--ithub-qmc.com<\u0261ithub.com>>"],
    ["A <a@b.c> cat <in >out <<EOF 2<&1 a<b", "A <a@b.c> cat <in >out <<EOF 2<&1 a<b"],
    [`ls${" ".repeat(600)}; rm x`, "ls<600 spaces>; rm x"],
  ])("%j is shown as %j", (text, shown) => {
    expect(visible(text)).toBe(shown);
  });

  test("what is too long is cut in the middle, and both ends stay", () => {
    const shown = visible(`start${"x".repeat(10_000)}rm -rf /`);
    expect(shown.length).toBeLessThan(2_100);
    expect(shown).toMatch(/^startx+<\d+ characters left out>x+rm -rf \/$/);
  });

  test("what a model wrote stands behind a bar, one effect to a line", () => {
    const effects = [
      shellRun(["ls"]),
      { ...effect("git.push", "origin\nAllow: yes"), forced: true as const },
    ];
    const { lines } = promptLines(
      request({ effects, agents: ["root", "re\u001bsearcher"], mayRemember: false }),
      { isBoundToArguments: false },
    );
    expect(lines).toEqual([
      "Allow bash for the agent root > re\\x1bsearcher?",
      "  | shell.run ls",
      "  | git.push origin\u23ceAllow: yes, forced",
      "Why it asks: No policy rule matches this call.",
      "This is asked every time.",
    ]);
    const { lines: bare } = promptLines(request({ effects: [], arguments: { to: "a\u202eb", n: 1 } }), {
      isBoundToArguments: true,
    });
    expect(bare.slice(1, 4)).toEqual(["With these arguments:", "  | to: a<U+202E>b", "  | n: 1"]);
  });
});

describe("what `always` would allow is said exactly", () => {
  const saying = (more: Partial<ApprovalRequest>, isBoundToArguments = false) =>
    promptLines(request(more), { isBoundToArguments }).lines.slice(-3);

  test("a key of the tool's own: the effects too, because the approval is bound to them", () => {
    const call = { capability: "mcp.call", target: "filesystem:write_file" };
    const about = { toolName: "write_file", effects: [call, fsWrite("/app/notes.md")] };
    const lines = promptLines(request({ ...about, approvalKey: "filesystem:write_file" }), {
      isBoundToArguments: false,
    }).lines.slice(-4);
    expect(lines).toEqual([
      '"Always" allows write_file again for this, with any other arguments:',
      "  | mcp.call filesystem:write_file",
      "  | fs.write /app/notes.md",
      "Other paths are not covered.",
    ]);
  });

  test("one effect: its target, with any other arguments", () => {
    const about = { toolName: "write_file", effects: [fsWrite("/app/notes.md")] };
    expect(saying({ ...about, approvalKey: "fs.write /app/notes.md" })).toEqual([
      '"Always" allows write_file again for this, with any other arguments:',
      "  | fs.write /app/notes.md",
      "Other paths are not covered.",
    ]);
    expect(saying({}).at(-1)).toBe("Other commands are not covered.");
    expect(saying({ effects: [netFetch("a.example"), shellRun(["ls"])] }).at(-1)).toBe(
      "Other effects are not covered.",
    );
  });

  test("a tool whose calls differ in their arguments alone: every call of it", () => {
    const call = { capability: "mcp.call", target: "notes:create" };
    const about = { toolName: "notes_create", approvalKey: "notes:create" };
    const line = '"Always" allows every call of notes_create, with any arguments: notes:create';
    expect(saying({ ...about, effects: [call] }).at(-1)).toBe(line);
    expect(saying({ ...about, effects: [effect("memory.write", "*"), call] }).at(-1)).toBe(line);
    expect(saying({ ...about, effects: [call] }, true).at(-1)).toBe("Other arguments are not covered.");
    expect(saying({ ...about, approvalKey: "notes:other", effects: [call] }).at(-1)).not.toBe(line);
  });

  test("effects that say too little: these arguments only", () => {
    expect(saying({ effects: [], approvalKey: "no effects" }, true)).toEqual([
      '"Always" allows bash again for this, with exactly these arguments:',
      "  | no effects",
      "Other arguments are not covered.",
    ]);
  });
});

describe("several approvers", () => {
  test("the first answer counts, and the others are told that they are not needed", async () => {
    let dismissed = false;
    const slow: Approver = {
      approve: (_request, signal) =>
        new Promise(() => {
          signal.addEventListener("abort", () => {
            dismissed = true;
          });
        }),
    };
    const broker = approvalBroker(slow, says({ verdict: "once", by: "page" }));
    expect(await broker.approve(request(), never)).toEqual({ verdict: "once", by: "page" });
    expect(dismissed).toBe(true);
  });

  test("one that fails or will answer later does not speak for the others; all together do", async () => {
    const broken: Approver = {
      approve: () => {
        throw new Error("no terminal");
      },
    };
    const both = (...approvers: Approver[]) => approvalBroker(...approvers).approve(request(), never);
    expect(await both(broken, says({ verdict: "once" }, 5))).toEqual({ verdict: "once" });
    expect(await both(says("later"), says({ verdict: "reject" }, 5))).toEqual({ verdict: "reject" });
    expect(await both(broken, says("later"))).toBe("later");
    expect(await both(broken, broken)).toMatchObject({
      verdict: "reject",
      message: expect.stringContaining("no terminal"),
    });
    expect(await both()).toMatchObject({ verdict: "reject" });
  });
});

test("the requests of a batch form one grouped approval; one that was answered before does not delay the rest", async () => {
  const groups: number[][] = [];
  const approver = groupedApprover({
    decide: async ({ requests }) => {
      groups.push(requests.map(({ batch }) => batch.index));
      return requests.map(({ batch }) => (batch.index === 1 ? { verdict: "reject" } : { verdict: "once" }));
    },
  });
  const ask = (index: number, size: number, id = "t1") =>
    approver.approve(request({ batch: { id, index, size } }), never);
  const answers = await Promise.all([ask(2, 3), ask(0, 3), ask(1, 3)]);
  expect(answers.map((one) => one !== "later" && one.verdict)).toEqual(["once", "once", "reject"]);
  await Promise.all([ask(0, 3, "t2"), ask(2, 3, "t2")]);
  expect(groups).toEqual([
    [0, 1, 2],
    [0, 2],
  ]);
  for (const nothing of [[], undefined, "yes"]) {
    const silent = groupedApprover({ decide: async () => nothing as never });
    expect(await silent.approve(request(), never)).toMatchObject({ verdict: "reject" });
  }
  const broken = groupedApprover({ decide: () => Promise.reject(new Error("closed")) });
  await expect(broken.approve(request(), never)).rejects.toThrow("closed");
});

test("wider rules are suggested by the kind of command, the folder and the host", () => {
  const suggested = (...effects: Parameters<typeof policyCall>[0]["effects"]) =>
    suggestRules(policyCall({ tool: "any", effects }), { workspace: ["/ws"] }).map(
      ({ permission, pattern }) => `${permission} ${pattern}`,
    );
  expect(suggested(shellRun(["npm", "run", "lint", "src"]))).toEqual(["shell.run npm run lint *"]);
  expect(suggested(fsWrite("/ws/src/a/b.ts"), netFetch("docs.example"))).toEqual([
    "fs.write {workspace}/src/a/**",
    "net.fetch docs.example",
  ]);
  expect(suggested(fsWrite("/ws/top.ts"), fsWrite("/etc/passwd"), effect("mail.send", "x"))).toEqual([]);
  expect(suggested({ ...effect("git.push", "x"), forced: true })).toEqual([]);
  expect(suggested(shellRun(["git", "log", "--output=x"]))).toEqual([]);
  expect(suggested(shellRun(["ls"]), effect("shell.dynamic", "ls > x"))).toEqual([]);
});
