import { createSession, type Rule } from "@toolkeep/core";
import type { PolicyMode, RuleScope } from "@toolkeep/core/policy";
import { scriptedApprover } from "@toolkeep/core/testing";
import { describe, expect, test } from "vitest";
import type { Args } from "./attacks/record.ts";
import { resolver } from "./attacks/stage.ts";
import { type Execution, WORKSPACE } from "./attacks/tools.ts";
import { writers } from "./attacks/writers.ts";

/** A call that writes into the folder it is given. */
interface Writing {
  readonly tool: string;
  args(folder: string): Args;
}

const BY_TOOL: readonly Writing[] = [
  { tool: "write", args: (folder) => ({ path: `${folder}/x.ts`, content: "x" }) },
  { tool: "write", args: (folder) => ({ path: `docs/../${folder}/x.ts`, content: "x" }) },
  { tool: "files_put", args: (folder) => ({ destination: `${folder}/x.ts`, body: "x" }) },
  { tool: "mcp:files:put", args: (folder) => ({ destination: `/ws/${folder}/x.ts` }) },
  { tool: "save_note", args: (folder) => ({ file: `${folder}/x.ts`, text: "x" }) },
];

const LINES = [
  "echo x > src/x.ts",
  "echo x >> src/x.ts",
  "echo x >| src/x.ts",
  "echo x &> src/x.ts",
  "echo x 2> src/x.ts",
  "echo x >& src/x.ts",
  "echo x 1<> src/x.ts",
  "> src/x.ts",
  ">src/x.ts echo x",
  "exec 3> src/x.ts",
  'echo x > "src/x.ts"',
  "echo x > docs/../src/x.ts",
  "echo x > /ws/src/x.ts",
  "cat <<< x > src/x.ts",
  "cat << END > src/x.ts\nx\nEND",
  "true && echo x > src/x.ts",
  "ls; echo x | sort > src/x.ts",
  "echo x & echo y > src/x.ts",
  "(echo x) > src/x.ts",
  "ls; { echo x; } > src/x.ts",
  "if true; then echo x > src/x.ts; fi",
  "for name in a b; do echo $name; done > src/x.ts",
  "f() { echo x > src/x.ts; }; f",
  'echo "$(echo x > src/x.ts)"',
  "cat <(echo x > src/x.ts)",
  "A=1 > src/x.ts",
  "sh -c 'echo x > src/x.ts'",
  'bash -lc "ls && echo x >> src/x.ts"',
  "sh -c \"sh -c 'echo x > src/x.ts'\"",
  "env A=1 sh -c 'echo x > src/x.ts'",
  "nohup sh -c 'echo x > src/x.ts'",
  "eval 'echo x > src/x.ts'",
  "find . -exec sh -c 'echo x > src/x.ts' ';'",
  "sh <<< 'echo x > src/x.ts'",
  "bash -s << 'END'\necho x > src/x.ts\nEND",
  "echo x | tee src/x.ts",
  "cp a.ts src/x.ts",
  "cp -t src/ a.ts",
  "touch src/x.ts",
  "sed -i s/a/b/ src/x.ts",
  "dd if=a of=src/x.ts",
] as const;

const BY_SHELL: readonly Writing[] = LINES.map((line) => ({
  tool: "bash",
  args: (folder) => ({ command: line.replaceAll("src/", `${folder}/`) }),
}));

/** One of each kind. */
const EACH_KIND = [...BY_TOOL, ...BY_SHELL.slice(0, 1)];

/** Everything but the family of the deny. */
const ALLOWED = [
  "*",
  "write",
  "bash",
  "b*",
  "files_put",
  "mcp:files:*",
  "mcp:files:put",
  "mcp:*",
  "save_note",
  "save_*",
  "shell.*",
  "shell.run",
  "shell.dynamic",
  "fs.read",
  "net.fetch",
] as const;

const SCOPES: readonly RuleScope[] = ["manifest", "project", "session"];

function deny(scope: RuleScope): Rule {
  return { permission: "fs.write", pattern: "{workspace}/src/**", action: "deny", scope };
}

function allow(permission: string, scope: RuleScope): Rule {
  return { permission, action: "allow", scope };
}

/** What becomes of a call where everybody who is asked says yes. */
async function outcomeOf({ tool, args }: Writing, folder: string, rules: readonly Rule[], mode?: PolicyMode) {
  const executions: Execution[] = [];
  const approver = scriptedApprover("once");
  const session = await createSession({
    registry: writers(executions),
    policy: { rules, ...(mode === undefined ? {} : { mode }) },
    variables: { workspace: [WORKSPACE] },
    principal: { workspace: WORKSPACE },
    resolver,
    approver,
  });
  const { ok, failure } = await session.call({ id: "c1", name: tool, arguments: args(folder) });
  return { ok, code: failure?.code, asked: approver.requests.length, executed: executions.length };
}

const DENIED = { ok: false, code: "denied", asked: 0, executed: 0 };
const RAN = { ok: true, code: undefined, asked: 0, executed: 1 };

describe.each(["manifest", "project"] as const)("[C75] one deny on fs.write in the %s", (scope) => {
  const titled = [...BY_TOOL, ...BY_SHELL].map(
    (writing) => [`${writing.tool} ${JSON.stringify(writing.args("src"))}`, writing] as const,
  );

  test.each(titled)("stops %s, and its twin elsewhere runs", async (_title, writing) => {
    for (const other of SCOPES) {
      const rules = [deny(scope), ...ALLOWED.map((permission) => allow(permission, other))];
      expect(await outcomeOf(writing, "src", rules), other).toEqual(DENIED);
      expect(await outcomeOf(writing, "notes", rules), other).toEqual(RAN);
    }
  });

  test.each(ALLOWED)(
    "is not defeated by `allow %s` alone, of any scope, with or without a pattern",
    async (permission) => {
      for (const writing of EACH_KIND) {
        for (const other of SCOPES) {
          const patterned = permission.includes(".")
            ? []
            : [{ ...allow(permission, other), pattern: "/ws/src/x.ts" }];
          expect(
            await outcomeOf(writing, "src", [deny(scope), allow(permission, other), ...patterned]),
          ).toEqual(DENIED);
        }
      }
    },
  );

  test.each(["yolo", "allowlist"] as const)("is not defeated by the mode %s", async (mode) => {
    for (const writing of EACH_KIND) {
      expect(await outcomeOf(writing, "src", [deny(scope)], mode)).toEqual(DENIED);
    }
  });
});

test("without the deny every one of them would write there", async () => {
  const rules = ALLOWED.map((permission) => allow(permission, "project"));
  for (const writing of [...BY_TOOL, ...BY_SHELL]) {
    expect(await outcomeOf(writing, "src", rules), JSON.stringify(writing.args("src"))).toEqual(RAN);
  }
});

test.each([
  "cd src && echo x > x.ts",
  "pushd src; echo x > x.ts",
  'echo x > "$D/x.ts"',
  "echo x > s*/x.ts",
  "echo x > src/*.ts",
  "echo x > $D",
])("what may be redirected into the folder is denied as well: %s", async (command) => {
  const executions: Execution[] = [];
  const session = await createSession({
    registry: writers(executions),
    variables: { workspace: [WORKSPACE] },
    resolver,
    policy: [
      { permission: "*", action: "allow" },
      { permission: "fs.write", pattern: "{workspace}/src/**", action: "deny" },
    ],
  });
  const { failure } = await session.call({ id: "c", name: "bash", arguments: { command } });
  expect([failure?.code, executions]).toEqual(["denied", []]);
});

test.todo("what is piped into a shell is not seen: `echo 'echo x > src/x.ts' | sh`; the sandbox stops it");
