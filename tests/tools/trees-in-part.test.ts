import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createRegistry, defineTool, type Rule } from "@toolkeep/core";
import { modelText } from "@toolkeep/core/formats";
import { fsRead } from "@toolkeep/core/internal";
import { compilePolicy, RECOMMENDED_POLICY } from "@toolkeep/core/policy";
import { noSandbox, openWorkspace } from "@toolkeep/node";
import { standardTools } from "@toolkeep/tools";
import { listTool, searchTool } from "@toolkeep/tools/internal";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

const FILES = {
  "src/a.ts": "needle in the source",
  "docs/b.md": "needle in the docs",
  "home/plain.txt": "needle at home",
  "home/.netrc": "needle in credentials",
  "secret.txt": "needle in a secret",
  "home/.aws/credentials": "needle in more credentials",
  "private/c.txt": "needle in private",
} as const;

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "parts-")));
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

type Call = readonly [name: string, args: Readonly<Record<string, unknown>>];

/** The outcomes of calls under the recommended rules and more rules, without an approver. */
async function outcomes(
  calls: readonly Call[],
  more: readonly Rule[] = [],
  mode?: "yolo" | "observe" | "all",
) {
  const registry = createRegistry();
  for (const tool of standardTools()) registry.register(tool);
  for (const tool of [listTool(), searchTool(), wholeTool]) registry.register(tool as never);
  registry.register(defineTool({ ...wholeTool, name: "foreign" }) as never, {
    origin: { layer: "user", source: "mcp", id: "x" },
  });
  const workspace = await openWorkspace({
    roots: [root],
    sandbox: noSandbox(),
    sidecars: join(root, "../kept"),
  });
  const policy = { ...RECOMMENDED_POLICY, rules: [...RECOMMENDED_POLICY.rules, ...more] };
  const session = await workspace.createSession({
    registry,
    policy:
      mode === "all"
        ? { rules: [{ permission: "*", action: "allow" }], builtIn: "off" }
        : { ...policy, ...(mode === undefined ? {} : { mode }) },
  });
  const texts: string[] = [];
  for (const [index, [name, args]] of calls.entries())
    texts.push(modelText(await session.call({ id: `c${index}`, name, arguments: args })));
  await session.close();
  await workspace.close();
  return texts;
}

const wholeTool = defineTool({
  name: "whole",
  description: "Declares that it reads a tree in part, or whole.",
  inputSchema: { type: "object", properties: { partial: { type: "boolean" } } },
  requires: { fs: { read: ["{workspace}/**"] } },
  effects: ({ partial }) => [{ ...fsRead("./**"), ...(partial === true ? { partial } : {}) }],
  execute: () => "read",
});

const SEARCHES: readonly Call[] = [
  ["grep", { pattern: "needle", glob: "**/{.*,*}" }],
  ["grep", { pattern: "ne+dle", glob: "**/{.*,*}" }],
  ["search", { pattern: "needle" }],
  ["glob", { pattern: "**/{.*,*}" }],
  ["list", { path: "home", all: true }],
];

describe("a search through a tree", () => {
  test("shows the secrets in it if no rule objects", async () => {
    const listing = SEARCHES.filter(([name]) => name === "glob" || name === "list");
    for (const text of await outcomes(listing, [], "all")) expect(text).toMatch(/netrc/);
  });

  test.each(SEARCHES)(
    "by %s is not denied because of a secret that may be in it, and the secret is omitted",
    async (...call) => {
      const [text = ""] = await outcomes([call]);
      expect(text).not.toMatch(/netrc|credentials/);
      expect(text).not.toContain("Credentials stay");
      expect(text).toContain(call[0] === "list" ? "plain.txt" : "src/a.ts");
    },
  );

  test.each(["deny", "ask"] as const)("omits what a custom rule says %s about", async (action) => {
    const rule: Rule = { permission: "fs.read", pattern: "{workspace}/private/**", action, scope: "project" };
    const [found = "", named = ""] = await outcomes(
      [
        ["grep", { pattern: "needle" }],
        ["grep", { pattern: "needle", path: "private" }],
      ],
      [rule],
    );
    expect(found).toContain("docs/b.md");
    expect(found).not.toContain("private");
    expect(named).not.toContain("needle in private");
  });

  test("asks if a rule asks about the whole tree, also by a name with a wildcard", async () => {
    const rule: Rule = {
      permission: "fs.read",
      pattern: "{workspace}/priv*/**",
      action: "ask",
      scope: "project",
    };
    const [named = ""] = await outcomes([["grep", { pattern: "needle", path: "private" }]], [rule]);
    expect(named).toContain("needs approval");
  });

  test("omits everything a deny may match, as reading a file does", async () => {
    const rule: Rule = { permission: "fs.read", pattern: "**/secret*/**", action: "deny", scope: "project" };
    const [read = "", found = ""] = await outcomes(
      [
        ["read", { path: "secret.txt" }],
        ["grep", { pattern: "needle" }],
      ],
      [rule],
    );
    expect(read).toMatch(/A policy rule (?:asks|denies)/);
    expect(found).toContain("src/a.ts");
    expect(found).not.toContain("needle in a secret");
  });

  test("omits what a rule on the tool itself denies", async () => {
    const rule: Rule = {
      permission: "grep",
      pattern: "{workspace}/docs/**",
      action: "deny",
      scope: "session",
    };
    const [found = "", other = ""] = await outcomes(
      [
        ["grep", { pattern: "needle" }],
        ["glob", { pattern: "**/*" }],
      ],
      [rule],
    );
    expect(found).toContain("src/a.ts");
    expect(found).not.toContain("docs/b.md");
    expect(other).toContain("docs/b.md");
  });

  test("is denied if a rule denies the whole tree", async () => {
    const rule: Rule = {
      permission: "fs.read",
      pattern: "{workspace}/**",
      action: "deny",
      scope: "manifest",
    };
    expect((await outcomes([["grep", { pattern: "needle" }]], [rule]))[0]).toMatch(
      /A policy rule (?:asks|denies)/,
    );
  });

  test("omits what is denied also where everything that asks is allowed", async () => {
    const [text = ""] = await outcomes([["grep", { pattern: "needle", glob: "**/{.*,*}" }]], [], "yolo");
    expect(text).toContain("private/c.txt");
    expect(text).not.toContain("netrc");
  });

  test("is denied as a whole for a tool that cannot omit anything, or that comes from an MCP server", async () => {
    const [whole = "", foreign = ""] = await outcomes([
      ["whole", {}],
      ["foreign", { partial: true }],
    ]);
    expect(whole).toContain("Credentials stay");
    expect(foreign).toContain("Credentials stay");
  });

  test("is decided as a whole by an authorizer that does not say what to omit", async () => {
    const policy = compilePolicy({ ...RECOMMENDED_POLICY, variables: { workspace: [root] } });
    const registry = createRegistry();
    for (const tool of standardTools()) registry.register(tool);
    const workspace = await openWorkspace({
      roots: [root],
      sandbox: noSandbox(),
      sidecars: join(root, "../kept"),
    });
    const authorizer = { decide: (...asked: Parameters<typeof policy.decide>) => policy.decide(...asked) };
    const session = await workspace.createSession({ registry, policy: authorizer });
    const result = await session.call({ id: "c", name: "grep", arguments: { pattern: "needle" } });
    expect(modelText(result)).toContain("Credentials stay");
    await session.close();
    await workspace.close();
  });
});
