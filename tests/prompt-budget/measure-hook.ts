import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { UNKNOWN_MODE } from "../../packages/cli/src/clients/client-mode.ts";
import type { DryRunCall } from "../../packages/cli/src/clients/hook-call.ts";
import { decideCall } from "../../packages/cli/src/hooks/decide/decide-call.ts";
import { readProject } from "../../packages/cli/src/project/read-project.ts";
import { type Move, type Task, WORKSPACE } from "./task.ts";

/** What the hook says to the calls of all tasks. */
interface HookBudget {
  readonly allowed: number;
  readonly asked: number;
  readonly denied: number;
  /** Refused, with an allowed command to use instead: no request. */
  readonly safeForm: number;
}

interface HookMeasure {
  readonly budget: HookBudget;
  /** Each command that was refused, and the one that was named. */
  readonly forms: readonly { readonly line: string; readonly instead: string }[];
}

/** Asks the hook about every task, each in a conversation of its own, in a project as many are. */
export async function measureHook(tasks: readonly Task[]): Promise<HookMeasure> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "toolkeep-budget-")));
  const root = makeProject(join(base, "ws"));
  const before = process.env["TOOLKEEP_HOME"];
  process.env["TOOLKEEP_HOME"] = join(base, "toolkeep");
  try {
    return await measured(tasks, root);
  } finally {
    if (before === undefined) delete process.env["TOOLKEEP_HOME"];
    else process.env["TOOLKEEP_HOME"] = before;
    rmSync(base, { recursive: true, force: true });
  }
}

async function measured(tasks: readonly Task[], root: string): Promise<HookMeasure> {
  const project = await readProject({ cwd: root });
  const counts = { allow: 0, ask: 0, deny: 0, none: 0, safeForm: 0 };
  const forms: { line: string; instead: string }[] = [];
  for (const { name, moves } of tasks)
    for (const move of moves) {
      const call = dryRunCall(move, root);
      if (call === undefined) continue;
      const place = { conversation: name, folder: root, cwd: root, label: call.tool, canAsk: true };
      const clientMode = UNKNOWN_MODE;
      const verdict = await decideCall(
        { ...place, clientMode, calls: [call] },
        { client: "claude-code", project },
      );
      counts[verdict.instead === undefined ? (verdict.decided ?? verdict.action) : "safeForm"] += 1;
      if (verdict.instead !== undefined)
        forms.push({ line: String(call.arguments["command"]), instead: verdict.instead });
    }
  const { allow: allowed, ask: asked, deny: denied, safeForm } = counts;
  return { budget: { allowed, asked, denied, safeForm }, forms };
}

/** A server's tools are not the hook's own to measure. */
function dryRunCall([tool, args]: Move, root: string): DryRunCall | undefined {
  const here = (path: unknown) => String(path).replace(WORKSPACE, root);
  switch (tool) {
    case "bash":
    case "web_fetch":
      return { tool, arguments: args };
    case "read":
      return { tool, arguments: { path: here(args["path"]) } };
    case "write":
    case "edit":
      return { tool, arguments: { path: here(args["path"]) } };
    case "glob":
    case "grep":
      return { tool, arguments: { path: here(args["folder"]) } };
    default:
      return undefined;
  }
}

const FILES: Readonly<Record<string, string>> = {
  "package.json": "{}",
  "README.md": "#",
  "src/range.ts": "1",
  "src/router.ts": "1",
  "src/range.test.ts": "1",
  "docs/protocol.md": "1",
  "tests/all.test.ts": "1",
  ".gitignore": "node_modules/\n.env\n",
  ".env": "PASSWORD=1",
  "node_modules/x/test/key.pem": "1",
};

function makeProject(root: string): string {
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  execFileSync("git", ["init", "-q", "."], { cwd: root });
  execFileSync("git", ["add", "-A"], { cwd: root });
  return root;
}
