import { posix } from "node:path";
import type { Rule } from "@toolkeep/core";
import { compilePolicy, policyCall, policyContext, RECOMMENDED_POLICY } from "@toolkeep/core/policy";
import { commandEffects } from "@toolkeep/core/ports";
import { parseCommand } from "@toolkeep/node/internal";
import { describe, expect, test } from "vitest";

const variables = { workspace: ["/ws"] };

/** What becomes of a command line; paths are made absolute as a session would. */
async function decide(line: string, rules: readonly Rule[], known = {}) {
  const effects = commandEffects(await parseCommand(line, { home: "/home/ada" }), line).map((one) =>
    one.capability.startsWith("fs.") && !one.target.startsWith("/")
      ? { ...one, target: posix.resolve("/ws", one.target) }
      : one,
  );
  const policy = compilePolicy({ rules, builtIn: "off", variables });
  return (await policy.decide(policyCall({ tool: "bash", mode: "local", effects }), policyContext(known)))
    .action;
}

const ALLOW_ALL = { permission: "*", action: "allow" } as const;

describe("commands that must not pass unasked under the recommended policy", () => {
  test.each([
    "cat src/evil | uniq - .git/config",
    "uniq src/a*",
    "grep -e. /etc/passwd",
    "grep -ie. /home/ada/notes.md",
    "rg -ne. ~/notes.md",
    "cat .[.]/other/a",
    "cat .?/other/a",
    "cd .[.] && cat other/a",
    "git diff /dev/null /etc/passwd",
    "git grep -n . ../other",
    "git blame ../x",
    "jq -n env",
    "gh pr view 1 --json title --jq env",
    "pytest @src/args.txt",
    "mypy @x",
    "dotnet build /p:PreBuildEvent=x",
    "cd src && pnpm ls",
    "cd src && docker compose ps",
    "git switch evil",
    "git checkout -b x origin/evil",
    "/bin/cat /etc/passwd",
    "base64 /etc/passwd",
  ])("%s", async (line) => {
    for (const sandbox of ["none", "files"] as const) {
      if (sandbox === "files" && /pnpm ls|docker compose/.test(line)) continue;
      expect(await decide(line, RECOMMENDED_POLICY.rules, { sandbox })).not.toBe("allow");
    }
  });
});

test.each([
  "git status; PATH=src git status",
  "git status; GIT_EXTERNAL_DIFF=src/evil git diff",
  "git status; A=--output=x; git log $A",
])("a pattern on a tool, or on everything, does not allow a line that is not plain: %s", async (line) => {
  const pattern = "git *";
  for (const permission of ["bash", "b*", "*", "shell.*"])
    expect(await decide(line, [{ permission, pattern, action: "allow" }])).toBe("ask");
  expect(await decide(line, [{ permission: "bash", action: "allow" }])).toBe("allow");
});

test.each([
  "cat private/x",
  "/bin/cat private/x",
  "base64 private/x",
  "cp private/x y",
  "grep -e. private/x",
  "cd private && cat x",
  "cd a && cat ../private/x",
  "cat private/*",
  "dd if=private/x of=y",
])("a deny of reading binds %s, and an allow of the command is enough elsewhere", async (line) => {
  const rules = [
    ALLOW_ALL,
    { permission: "fs.read", pattern: "{workspace}/private/**", action: "deny" } as const,
  ];
  expect(await decide(line, rules)).toBe("deny");
  expect(await decide(line.replace("private", "public"), rules)).toBe("allow");
  expect(await decide("cat public/x", [{ permission: "shell.run", pattern: "cat *", action: "allow" }])).toBe(
    "allow",
  );
});

test.each([
  ["git push origin HEAD", "deny"],
  ["git push origin @", "deny"],
  ["git push origin HEAD:heads/main", "deny"],
  ["git push -4f origin x", "deny"],
  ["git push --m origin", "deny"],
  ["git push origin topic", "allow"],
  ["npm pu", "deny"],
  ["python -m twine upload x", "deny"],
] as const)("%s under denies of pushing to main, by force, and of publishing: %s", async (line, action) => {
  const rules: Rule[] = [
    ALLOW_ALL,
    { permission: "git.push", pattern: "origin main", action: "deny" },
    { permission: "git.push", action: "deny", if: ["forced"] },
    { permission: "package.publish", action: "deny" },
  ];
  expect(await decide(line, rules)).toBe(action);
});
