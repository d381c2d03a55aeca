import { describe, expect, test } from "vitest";
import {
  type Effect,
  effect,
  effects,
  fsRead,
  fsWrite,
  netFetch,
  shellRun,
} from "../../contract/call/effect.ts";
import { defineTool } from "../../contract/tool/define-tool.ts";
import { createSession } from "../../session/create-session.ts";
import { compilePolicy, type Policy } from "../compile-policy.ts";
import { explainText } from "../rules/explanation.ts";
import { policyCall, policyContext } from "../rules/policy-call.ts";

const ROOTS = ["/repo"];
const LINES = ['label private "customers/**"', 'label untrusted "vendor/**"'];
const policy = compilePolicy({ rules: ["allow *", ...LINES], variables: { workspace: ROOTS } });

function marks(some: readonly Effect[], by: Policy = policy): readonly string[] {
  return Object.keys(by.marksOf?.(policyCall({ tool: "t", effects: some, mode: "read" }), ROOTS) ?? {});
}

const command = (line: string) => shellRun(line.split(" "));

describe("reading a labelled path marks", () => {
  test.each<[Effect, string]>([
    [fsRead("/repo/customers/a.csv"), "private"],
    [fsRead("/repo/customers"), "private"],
    [fsRead("/repo/**"), "private"],
    [{ ...fsRead("/repo/**"), partial: true, withoutSecrets: true }, "private"],
    [fsRead("/repo/vendor/README.md"), "untrusted"],
    [command("cat customers/a.csv"), "private"],
    [command("cat ./src/../customers/a.csv"), "private"],
    [command("cat /repo/customers/a.csv"), "private"],
    [command("head -n 1 customers/*.csv"), "private"],
    [command("node scripts/report.js --in=customers/a.csv"), "private"],
    [command("cp -r customers /tmp/x"), "private"],
    [command("cp -r . /tmp/x"), "private"],
    [command("tar czf /tmp/x.tgz ."), "private"],
    [command("grep -r DE89"), "private"],
    [command("grep -rn DE89 ."), "private"],
    [command("grep -re DE89"), "private"],
    [command("rg DE89"), "private"],
    [command("git grep DE89"), "private"],
    [command("git log -p"), "private"],
    [command("git log --patch -3"), "private"],
    [command("git diff"), "private"],
    [command("git show HEAD~3"), "private"],
    [command("git -C /repo show HEAD"), "private"],
    [command("git show HEAD -- customers/a.csv"), "private"],
    [command("git stash show -p"), "private"],
    [command("xargs cat"), "private"],
    [command("find . -exec cat {} ;"), "private"],
    [effect("shell.dynamic", "for f in customers/*; do cat $f; done"), "private"],
    [effect("shell.dynamic", "grep -r DE89 . | head $X"), "private"],
    [effect("shell.dynamic", "cat $(git ls-files) | xargs cat"), "private"],
  ])("%j: %s", (one, label) => {
    expect(marks([one])).toContain(label);
  });

  test("also where a command has moved to", () => {
    expect(marks([command("cd customers"), command("cat a.csv")])).toEqual(["private"]);
    expect(marks([command("cd /repo/customers"), command("cat a.csv")])).toEqual(["private"]);
  });
});

test.each<[Effect]>([
  [fsRead("/repo/src/a.ts")],
  [{ ...fsRead("/repo/src/**"), partial: true, withoutSecrets: true }],
  [fsRead("/repo/customers.md")],
  [fsWrite("/repo/customers/a.csv")],
  [command("cat src/a.ts")],
  [command("ls customers")],
  [command("mkdir -p customers/new")],
  [command("git add customers")],
  [command("git status")],
  [command("git log --oneline")],
  [command("git diff --stat")],
  [command("git diff --name-only main")],
  [command("git show HEAD -- src/a.ts")],
  [command("grep -rn customers src")],
  [command("rg customers src")],
  [command("find . -name a.csv")],
  [command("npm test")],
])("%j marks nothing", (one) => {
  expect(marks([one])).toEqual([]);
});

describe("labels of several layers", () => {
  test("add up, and none takes another away", () => {
    const both = compilePolicy({
      rules: [
        "allow *",
        { ...label("private", "/repo/a/**"), scope: "manifest" },
        label("untrusted", "/repo/a/**"),
      ],
    });
    expect([...marks([fsRead("/repo/a/b")], both)].sort()).toEqual(["private", "untrusted"]);
    const more = both.withRules([label("private", "/repo/c/**")]);
    expect([...marks([fsRead("/repo/a/b")], more)].sort()).toEqual(["private", "untrusted"]);
    expect(marks([fsRead("/repo/c/b")], more)).toEqual(["private"]);
  });

  test("decide nothing by themselves", async () => {
    const call = policyCall({ tool: "t", effects: [fsRead("/repo/customers/a.csv")] });
    expect(await policy.decide(call, policyContext({ roots: ROOTS }))).toMatchObject({ action: "allow" });
    const denied = compilePolicy({
      rules: ['deny fs.read "/repo/customers/**"', label("private", "/repo/**")],
    });
    expect(await denied.decide(call, policyContext({ roots: ROOTS }))).toMatchObject({ action: "deny" });
  });

  function label(name: "private" | "untrusted", pattern: string) {
    return { permission: "fs.read", action: "ask", label: name, pattern } as const;
  }
});

test("one call that reads labelled data and sends is stopped by the rule of two", async () => {
  const call = policyCall({
    tool: "t",
    effects: [fsRead("/repo/customers/a.csv"), effect("email.send", "x")],
  });
  const context = policyContext({ roots: ROOTS, taint: new Set(["untrusted"]) });
  expect(await policy.decide(call, context)).toMatchObject({
    action: "ask",
    reason: expect.stringContaining('`label private "{workspace}/customers/**"`'),
  });
});

test("an explanation shows which label marks what, and where it is written", async () => {
  const written = compilePolicy({
    rules: [
      "allow *",
      { permission: "fs.read", action: "ask", label: "private", pattern: "/repo/a/**", at: "p.yaml:3" },
    ],
  });
  const call = policyCall({ tool: "read", effects: [fsRead("/repo/a/b")] });
  const explanation = await written.explain(call, policyContext({ roots: ROOTS }));
  expect(explanation.labels).toMatchObject([
    { label: "private", words: 'label private "/repo/a/**"', at: "p.yaml:3", path: "/repo/a/b" },
  ]);
  expect(explainText(explanation)).toContain(
    '  marks     private by label private "/repo/a/**" (p.yaml:3) on /repo/a/b',
  );
});

describe("in a session", () => {
  const read = defineTool({
    name: "read_file",
    description: "Reads.",
    inputSchema: { type: "object", properties: { path: { type: "string" } } },
    requires: { fs: { read: ["/repo/**"] } },
    effects: (args) => [effects.read((args as { path: string }).path)],
    execute: () => "text",
  });
  const fetchPage = defineTool({
    name: "fetch_page",
    description: "Fetches.",
    mode: "external",
    gated: true,
    inputSchema: { type: "object" },
    requires: { net: { hosts: ["docs.example"] } },
    effects: () => [netFetch("docs.example")],
    execute: () => "page",
  });
  const RULES = ['allow fs.read "/repo/**"', "allow net.fetch docs.example if not private"];

  async function asks(paths: readonly string[], rules: readonly string[]): Promise<readonly string[]> {
    const asked: string[] = [];
    await using session = await createSession({
      tools: [read, fetchPage],
      variables: { workspace: ROOTS },
      policy: { rules: [...RULES, ...rules] },
      approver: async ({ toolName }) => {
        asked.push(toolName);
        return { verdict: "once" };
      },
    });
    for (const path of paths) expect(await session.call("read_file", { path })).toMatchObject({ ok: true });
    await session.call({ id: "send", name: "fetch_page", arguments: {} });
    return asked;
  }

  test("`if private` holds after private data by a label", async () => {
    expect(await asks(["/repo/customers/a.csv"], [])).toEqual([]);
    expect(await asks(["/repo/customers/a.csv"], LINES)).toEqual(["fetch_page"]);
    expect(await asks(["/repo/src/a.ts"], LINES)).toEqual([]);
  });

  test("a subagent has the labels of its parent and its own", async () => {
    await using parent = await createSession({
      variables: { workspace: ROOTS },
      policy: ["allow *", ...LINES],
    });
    let asked = 0;
    await using child = await createSession({
      parent: parent.childContext("child"),
      tools: [read, fetchPage],
      policy: RULES,
      approver: async () => {
        asked += 1;
        return { verdict: "once" };
      },
    });
    await child.call({ id: "1", name: "read_file", arguments: { path: "/repo/customers/a.csv" } });
    const explained = await child.explain({ id: "2", name: "fetch_page", arguments: {} });
    expect(explained.explanation?.decision.action).toBe("ask");
    expect(asked).toBe(0);
  });
});
