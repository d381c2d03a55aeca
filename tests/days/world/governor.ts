import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { CLIENT_MODES, type ClientMode, type Fields } from "../../day/hook/clients.ts";
import type { ClientCall } from "../../day/step.ts";
import { HOME } from "../day.ts";
import { ENVIRONMENT } from "./person.ts";

/** How a day is governed. */
export interface Governance {
  readonly client: ClientMode["client"];
  readonly mode: string;
  /** What `toolkeep init` is told: `--contain`, `--confine` or nothing. */
  readonly flags: readonly string[];
}

/** What a hook said about a call. `none`: the client decides, which lets it pass in the modes played. */
export interface Said {
  readonly action: "allow" | "ask" | "deny" | "none";
  readonly reason: string;
  /** The command that takes the place of the one in the call. */
  readonly command?: string;
}

export interface Made {
  readonly call: ClientCall;
  readonly folder: string;
  readonly conversation: string;
  readonly id: string;
}

const PROGRAM = "/usr/local/toolkeep/packages/cli/dist/main.js";
const LONGEST_MS = 60_000;
const TRANSCRIPT = "/srv/exchange/transcript.jsonl";
/** Codex runs commands without a sandbox of its own, where nothing else could be told to confine them. */
const TURN = { turn_id: "turn", sandbox_policy: { type: "danger-full-access" } };

/** Installs Toolkeep as its user does, and is its client from then on. */
export async function installedGovernor({ client, mode, flags }: Governance, project: string) {
  const found = CLIENT_MODES.find((one) => one.client === client && one.mode === mode);
  if (found === undefined) throw new Error(`${client} has no mode ${mode}.`);
  const toolkeep = (...args: readonly string[]) => program(["node", PROGRAM, ...args], { cwd: project });
  const { code, output, errors } = await toolkeep("init", client, "--yes", ...flags);
  if (code !== 0) throw new Error(`toolkeep init ${client} ended with ${code}: ${errors}${output}`);
  writeFileSync(TRANSCRIPT, `${JSON.stringify({ type: "turn_context", payload: TURN })}\n`);
  const hook = (payload: Fields, conversation: string) =>
    program([join(HOME, ".local/state/toolkeep/bin/toolkeep"), "hook", client], {
      ...{ cwd: project, stdin: JSON.stringify(payload) },
      environment: { CLAUDE_PROJECT_DIR: project, CLAUDECODE: "1", CLAUDE_CODE_SESSION_ID: conversation },
    });
  const payloadOf = ({ call, folder, conversation, id }: Made) => {
    const payload = found.payload(call, { project: folder, conversation });
    return payload && { ...payload, tool_use_id: id, transcript_path: TRANSCRIPT };
  };
  return {
    keepsFolder: client === "claude-code",
    async before(made: Made): Promise<Said> {
      const payload = payloadOf(made);
      if (payload === undefined) return { action: "none", reason: "" };
      const { code, output, errors } = await hook(payload, made.conversation);
      if (code === 2) return { action: "deny", reason: errors };
      if (code !== 0) throw new Error(`The hook ended with ${code}: ${errors}`);
      const { hookSpecificOutput: said = {}, decision, reason } = JSON.parse(output === "" ? "{}" : output);
      const command = said.updatedInput?.command as string | undefined;
      return {
        action: said.permissionDecision ?? (decision === "block" ? "deny" : "none"),
        reason: String(said.permissionDecisionReason ?? reason ?? ""),
        ...(command === undefined ? {} : { command }),
      };
    },
    async after(made: Made): Promise<void> {
      const payload = payloadOf(made);
      if (payload !== undefined)
        await hook({ ...payload, hook_event_name: "PostToolUse", tool_response: "" }, made.conversation);
    },
    stop: () => (flags.includes("--contain") ? toolkeep("contain", "stop") : undefined),
  };
}

interface Told {
  readonly cwd: string;
  readonly stdin?: string;
  readonly environment?: Readonly<Record<string, string>>;
}

function program([name = "", ...args]: readonly string[], { cwd, stdin = "", environment = {} }: Told) {
  return new Promise<{ code: number | null; output: string; errors: string }>((resolve, reject) => {
    const child = spawn(name, args, { cwd, env: { ...ENVIRONMENT, ...environment }, timeout: LONGEST_MS });
    let [output, errors] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      errors += text;
    });
    child.stdin.on("error", () => {});
    child.stdin.end(stdin);
    child.once("error", reject);
    // A process that stays for later calls may hold the output.
    child.once("exit", (code) => setTimeout(() => resolve({ code, output, errors: errors.trim() }), 5));
  });
}
