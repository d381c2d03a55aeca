import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRegistry } from "@toolkeep/core";
import type { HookCall, HookClientName, HookVerdict } from "../../packages/cli/src/clients/hook-call.ts";
import { openConversation } from "../../packages/cli/src/hooks/decide/conversation/open-conversation.ts";
import { decideCall } from "../../packages/cli/src/hooks/decide/decide-call.ts";
import { dryRunTools } from "../../packages/cli/src/hooks/decide/dry-run/dry-run-tools.ts";
import { questionOf } from "../../packages/cli/src/hooks/decide/verdict/hook-question.ts";
import {
  answerContext,
  refusingIn,
  verdictOf,
} from "../../packages/cli/src/hooks/decide/verdict/hook-verdict.ts";
import { explanationOf } from "../../packages/cli/src/hooks/decide/verdict/refused-calls.ts";
import { claudeCode } from "../../packages/cli/src/hooks/read/claude-code.ts";
import { codex } from "../../packages/cli/src/hooks/read/codex.ts";
import { type Project, readProject } from "../../packages/cli/src/project/read-project.ts";

/** The modes of clients in which every line is decided. */
export const MODES = ["auto", "default", "bypassPermissions", "codex"] as const;

type Mode = (typeof MODES)[number];

/** What hooks answer to lines in a project that its user trusts, with the recommended rules. Nothing is run. */
export interface ModeDecider extends AsyncDisposable {
  /** The answer in each mode. The rules are asked once for all of them. */
  inModes(line: string): Promise<Readonly<Record<Mode, HookVerdict>>>;
  /** The answer of the whole hook in one mode. */
  byHook(line: string, mode: Mode): Promise<HookVerdict>;
}

/** `programs`: those that the user of Claude Code allows there as a whole, by `Bash(kubectl:*)`. */
export async function openModeDecider(programs: readonly string[]): Promise<ModeDecider> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "toolkeep-operations-")));
  const root = join(base, "shop");
  mkdirSync(join(root, "sub"), { recursive: true });
  mkdirSync(join(base, "claude"));
  const allow = programs.map((program) => `Bash(${program}:*)`);
  writeFileSync(join(base, "claude/settings.json"), JSON.stringify({ permissions: { allow } }));
  execFileSync("git", ["init", "-q", root]);
  const home = process.env["TOOLKEEP_HOME"];
  process.env["TOOLKEEP_HOME"] = join(base, "toolkeep");
  const environment = {
    ...process.env,
    CLAUDE_CONFIG_DIR: join(base, "claude"),
    CLAUDE_PROJECT_DIR: root,
    CODEX_HOME: join(base, "codex"),
  };
  const project = { ...(await readProject({ cwd: root })), isTrusted: true };
  const registry = createRegistry();
  for (const tool of dryRunTools()) registry.register(tool);
  const asked = () => undefined;
  const session = await openConversation(undefined, {
    ...{ sessionId: "operations", registry, project, by: "client", asked },
  });
  const asking = { project, environment };
  let count = 0;
  return {
    async inModes(line) {
      const explained = await explanationOf(session, { tool: "bash", arguments: { command: line } });
      // What the user allows in Claude Code is the same in all its modes.
      const { entry } = await contextOf(explained, callIn("default", line, asking), "claude-code", asking);
      const answers = MODES.map((mode) => {
        const call = callIn(mode, line, asking);
        const answering = { ...asking, call, entry: mode === "codex" ? "none" : entry } as const;
        return [mode, answerTo(explained, { ...answering, client: clientOf(mode) })] as const;
      });
      return Object.fromEntries(answers) as Record<Mode, HookVerdict>;
    },
    byHook(line, mode) {
      count += 1;
      const call = { ...callIn(mode, line, asking), conversation: `operations-${count}` };
      return decideCall(call, { ...asking, client: clientOf(mode) });
    },
    async [Symbol.asyncDispose]() {
      await session.close();
      if (home === undefined) delete process.env["TOOLKEEP_HOME"];
      else process.env["TOOLKEEP_HOME"] = home;
      rmSync(base, { recursive: true, force: true });
    },
  };
}

interface Asking {
  readonly project: Project;
  readonly environment: NodeJS.ProcessEnv;
}

function clientOf(mode: Mode): HookClientName {
  return mode === "codex" ? "codex" : "claude-code";
}

function callIn(mode: Mode, command: string, { project: { root }, environment }: Asking): HookCall {
  const payload = {
    hook_event_name: "PreToolUse",
    session_id: "operations",
    tool_name: "Bash",
    tool_input: { command },
    cwd: root,
    ...(mode === "codex" ? {} : { permission_mode: mode }),
  };
  const call = (mode === "codex" ? codex : claudeCode).read(payload, environment);
  if (call === undefined) throw new Error("The hook reads no call.");
  return { ...call, folder: root, cwd: root };
}

type Explained = Awaited<ReturnType<typeof explanationOf>>;

function contextOf(explained: Explained, call: HookCall, client: HookClientName, asking: Asking) {
  return answerContext(call, [{ call: callOf(call), explained }], { ...asking, client });
}

function callOf({ calls: [evaluated] }: HookCall) {
  if (evaluated === undefined) throw new Error("The call runs nothing.");
  return evaluated;
}

type Answering = Omit<Awaited<ReturnType<typeof contextOf>>, "isTrusted">;

/** As a hook answers, without a journal. */
function answerTo(explained: Explained, answering: Answering): HookVerdict {
  if (explained === undefined) return { action: "deny", decided: "deny", reason: "The line cannot be read." };
  const call = callOf(answering.call);
  const context = { ...answering, isTrusted: answering.project.isTrusted };
  const { action } = explained.decision;
  const reason = questionOf(explained, context.project);
  if (action === "deny") return { action, decided: action, reason };
  const refusal = action === "ask" ? refusingIn(context).refusal(call, explained) : undefined;
  if (refusal !== undefined) return { action: "deny", decided: "deny", reason: refusal };
  const asked = action === "ask" ? reason : undefined;
  return verdictOf([{ call, explained, result: { ok: true } as never, asked }], context);
}
