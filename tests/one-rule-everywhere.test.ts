import type { PolicyDefinition } from "@toolkeep/core";
import type { PolicyMode, RuleScope } from "@toolkeep/core/policy";
import { parsePolicy } from "@toolkeep/policy";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Decision, openStage, type Situation } from "./one-rule/stage.ts";
import { fetchingWays, operationFor, writingWays } from "./one-rule/ways.ts";

let stage: Awaited<ReturnType<typeof openStage>>;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

/** What every file begins with: reading is free, and so is a page and the request of a PUT itself. */
const COMMON = ['allow fs.read "{workspace}/**"', "allow net.fetch pages.test", "allow http.write"];
const NO_WATCHDOGS =
  "{ secrets: off, rule-of-two: off, exfiltration: off, protected-names: off, risky-commands: off, overreach: off }";
const SCOPES: readonly RuleScope[] = ["manifest", "project", "session"];

/** A policy file as a user writes it. */
function policy(
  rules: readonly string[],
  mode: PolicyMode = "ask",
  scope: RuleScope = "project",
): PolicyDefinition {
  const lines = [...COMMON, ...rules].map((rule) => `  - '${rule}'`);
  const file = ["version: 1", `mode: ${mode}`, "rules:", ...lines, `watchdogs: ${NO_WATCHDOGS}`].join("\n");
  const { definition, diagnostics } = parsePolicy(file, { file: "policy.yaml", scope });
  if (definition === undefined) throw new Error(JSON.stringify(diagnostics));
  return definition;
}

type Row = [rules: readonly string[], target: string, expected: Decision, mode?: PolicyMode];

async function writes(target: string, situation: Situation): Promise<readonly Decision[]> {
  const decisions: Decision[] = [];
  for (const way of writingWays(stage.root)) {
    stage.put(target, "old");
    const { decision, ok, message } = await stage.decide(way, target, situation);
    expect(stage.text(target), `${way.name}: ${message}`).toBe(decision === "allow" ? "new" : "old");
    expect(ok, `${way.name}: ${message}`).toBe(decision === "allow");
    decisions.push(decision);
  }
  return decisions;
}

async function fetches(host: string, situation: Situation): Promise<readonly Decision[]> {
  const decisions: Decision[] = [];
  for (const way of [...fetchingWays(stage.port), operationFor(host)]) {
    const { decision, ok, message } = await stage.decide(way, host, situation);
    expect(ok, `${way.name}: ${message}`).toBe(decision === "allow");
    decisions.push(decision);
  }
  return decisions;
}

const everywhere = (decision: Decision) => [decision, decision, decision, decision];

test("every way is there, through real servers", () => {
  expect(stage.servers.map(({ status }) => status.state)).toEqual(["ready", "ready"]);
  const tools = [
    ...writingWays(stage.root),
    ...fetchingWays(stage.port),
    operationFor("docs.test"),
    operationFor("evil.test"),
  ];
  for (const { tool } of tools) expect(stage.registry.get(tool)?.name).toBe(tool);
});

describe("one rule on files counts for edit, an MCP server, an OpenAPI PUT and an AI SDK tool", () => {
  const SOURCES = 'fs.write "{workspace}/src/**"';
  const rows: Row[] = [
    [[], "src/a.ts", "ask"],
    [[`allow ${SOURCES}`], "src/a.ts", "allow"],
    [[`allow ${SOURCES}`], "docs/a.md", "ask"],
    [[`deny ${SOURCES}`, "allow fs.write"], "src/a.ts", "deny"],
    [[`deny ${SOURCES}`, "allow fs.write"], "src/deep/er/a.ts", "deny"],
    [[`deny ${SOURCES}`, "allow fs.write"], "docs/a.md", "allow"],
    [["allow fs.write", 'ask fs.write "**/*.lock"'], "src/a.lock", "ask"],
    [["allow fs.write", 'deny fs.* "**/.env*"'], "src/.env.local", "deny"],
    [["allow fs.*", `deny ${SOURCES} if untrusted`], "src/a.ts", "allow"],
    [[`deny ${SOURCES}`], "src/a.ts", "deny", "yolo"],
    [[`ask ${SOURCES}`], "src/a.ts", "allow", "yolo"],
    [[], "src/a.ts", "allow", "yolo"],
    [[], "src/a.ts", "ask", "allowlist"],
    [[`allow ${SOURCES}`], "src/a.ts", "allow", "allowlist"],
    [[`deny ${SOURCES}`], "src/a.ts", "allow", "observe"],
  ];
  test.each<Row>(rows)("%j on %s: %s (%s)", async (rules, target, expected, mode) => {
    expect(await writes(target, { policy: policy(rules, mode) })).toEqual(everywhere(expected));
  });

  test("after a page was read a rule for that case speaks, everywhere", async () => {
    const situation = { policy: policy(["allow fs.*", `deny ${SOURCES} if untrusted`]), hasReadPage: true };
    expect(await writes("src/a.ts", situation)).toEqual(everywhere("deny"));
    expect(await writes("docs/a.md", situation)).toEqual(everywhere("allow"));
  });

  const pairs = SCOPES.flatMap((one) => SCOPES.map((other) => [one, other] as const));
  test.each(pairs)(
    "a deny of the %s against an allow of the %s comes to the same everywhere",
    async (one, other) => {
      const denies = policy([`deny ${SOURCES}`], "ask", one);
      const rules = [...(denies.rules ?? []), ...(policy(["allow fs.write"], "ask", other).rules ?? [])];
      const decisions = await writes("src/a.ts", { policy: { ...denies, rules } });
      expect(new Set(decisions).size).toBe(1);
      // No scope allows what the manifest, or the same scope, denies.
      if (one === "manifest" || one === other) expect(decisions).toEqual(everywhere("deny"));
    },
  );
});

describe("one rule on hosts counts for web_fetch, an MCP server, an AI SDK tool and an OpenAPI GET", () => {
  const rows: Row[] = [
    [[], "docs.test", "ask"],
    [["allow net.fetch docs.test"], "docs.test", "allow"],
    [["allow net.fetch docs.test"], "evil.test", "ask"],
    [["allow net.fetch", "deny net.fetch evil.test"], "evil.test", "deny"],
    [["allow net.fetch", "deny net.fetch evil.test"], "docs.test", "allow"],
    [["allow net.fetch *.test", "ask net.* evil.*"], "evil.test", "ask"],
    [["deny net.fetch evil.test"], "evil.test", "deny", "yolo"],
    [[], "evil.test", "allow", "yolo"],
    [[], "evil.test", "ask", "allowlist"],
    [["deny net.fetch evil.test"], "evil.test", "allow", "observe"],
  ];
  test.each<Row>(rows)("%j on %s: %s (%s)", async (rules, host, expected, mode) => {
    expect(await fetches(host, { policy: policy(rules, mode) })).toEqual(everywhere(expected));
  });

  test("after a page was read a rule for that case speaks, everywhere", async () => {
    const rules = ["allow net.fetch", "ask net.fetch evil.test if untrusted"];
    expect(await fetches("evil.test", { policy: policy(rules) })).toEqual(everywhere("allow"));
    const later = { policy: policy(rules), hasReadPage: true };
    expect(await fetches("evil.test", later)).toEqual(everywhere("ask"));
    expect(await fetches("docs.test", later)).toEqual(everywhere("allow"));
  });

  test("and for a PUT: to reach a host that is denied is denied", async () => {
    const [, , put] = writingWays(stage.root);
    const situation = { policy: policy(["allow fs.write", "deny net.fetch files.test"]) };
    expect(put).toMatchObject({ tool: "putFile" });
    stage.put("src/a.ts", "old");
    expect(await stage.decide(put as never, "src/a.ts", situation)).toMatchObject({ decision: "deny" });
    expect(stage.text("src/a.ts")).toBe("old");
  });
});
