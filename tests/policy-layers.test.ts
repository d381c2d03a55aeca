import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseCommand } from "@toolkeep/node";
import { parsePolicy, testPolicy } from "@toolkeep/policy";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type CliBench, cliBench } from "./cli/cli-bench.ts";
import { type Place, place } from "./managed/place.ts";

let at: Place;
let bench: CliBench;
beforeEach(() => {
  at = place();
  bench = cliBench();
});
afterEach(() => {
  at.remove();
  bench.remove();
});

/** A user would like to allow what the administrator asks about. */
const OWN = `version: 1
extends: [toolkeep:recommended]
rules:
  - allow git.push "origin main"
  - allow mcp:mail:send
  - ask mcp:mail:send when "size(args.to) > 2"
tests:
  - { effect: git.push origin main, expect: allow }
  - { "mcp:mail:send": { to: [a, b] }, expect: allow }
  - { "mcp:mail:send": { to: [a, b, c] }, expect: ask }
`;

test("tests of one file are decided by the policy that all layers make together", async () => {
  const path = at.put("home/.config/toolkeep/policy.yaml", OWN);
  const file = parsePolicy(OWN, { file: path, scope: "manifest" });
  const alone = await testPolicy(file, { parseCommand });
  expect(alone.results.map(({ action }) => action)).toEqual(["allow", "allow", "ask"]);
  const { policy } = await at.read();
  expect(policy.conditions).toBeDefined();
  const merged = await testPolicy(file, { parseCommand, merged: policy });
  expect(merged.results.map(({ action }) => action)).toEqual(["ask", "allow", "ask"]);
  expect(merged.text).toContain("CHG-001");
});

test("a condition of the administrator decides in the program, whatever the user allows", async () => {
  at.put(
    "etc/policy.yaml",
    "version: 1\nrules:\n  - 'final ask mcp:payments:send when \"args.amount > 100\"'\n",
  );
  at.put("home/.config/toolkeep/policy.yaml", "version: 1\nrules:\n  - allow mcp:payments:send\n");
  const pay = (args: unknown) => at.decide(JSON.stringify(args), { tool: "mcp:payments:send" });
  expect([await pay({ amount: 100 }), await pay({ amount: 101 }), await pay({})]).toEqual([
    "allow",
    "ask",
    "ask",
  ]);
});

test("an MCP test has the effects of the effect map, where the test names none", async () => {
  const text = `version: 1
rules:
  - allow mcp:files:write_file
  - deny fs.write "/etc/**"
tests:
  - { "mcp:files:write_file": { path: /etc/passwd }, expect: deny }
  - { "mcp:files:write_file": { path: /tmp/x }, expect: ask }
`;
  const file = parsePolicy(text, { file: "policy.yaml" });
  const effectsOf = async (_address: unknown, args: Readonly<Record<string, unknown>>) => [
    { capability: "fs.write", target: String(args["path"]) },
  ];
  expect((await testPolicy(file)).results.map(({ action }) => action)).toEqual(["allow", "allow"]);
  expect((await testPolicy(file, { effectsOf })).results.map(({ action }) => action)).toEqual([
    "deny",
    "allow",
  ]);
});

test("`toolkeep policy test` without a file decides as a hook does", async () => {
  const own = join(bench.environment.TOOLKEEP_HOME, "config", "policy.yaml");
  mkdirSync(join(own, ".."), { recursive: true });
  // The built-in effect map of this server says that it writes a file.
  const tests =
    "  - { tool: send, effects: [mail.send x], args: { amount: 5 }, expect: allow }\n" +
    '  - { "mcp:filesystem:write_file": { path: /ws/src/a.ts }, expect: deny }\n';
  const rules = '  - allow mail.send when "args.amount < 10"\n  - deny fs.write "src/**"\n';
  writeFileSync(own, `version: 1\nrules:\n${rules}tests:\n${tests}`);
  bench.write(
    ".mcp.json",
    JSON.stringify({
      mcpServers: {
        filesystem: {
          command: "npx",
          args: ["-y", "@modelcontextprotocol/server-filesystem", bench.project],
        },
      },
    }),
  );
  const { code, stdout, stderr } = await bench.run(["policy", "test"]);
  expect(stderr).toBe("");
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: `${own}: 2 passed, 0 failed, 0 rules untouched\n`,
  });
});
