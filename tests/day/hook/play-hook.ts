import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { HookAnswer } from "../../../packages/cli/src/clients/hook-call.ts";
import { runHook } from "../../../packages/cli/src/hooks/answer/run-hook.ts";
import { OWN_COMMAND, runProgram } from "../../cli/cli-bench.ts";
import type { ClientCall, Step } from "../step.ts";
import type { ClientMode, Fields } from "./clients.ts";
import { placed, type Shop } from "./shop.ts";

/** What a hook answers. `safe form`: refused to the model, with a command to use instead that needs no approval. */
export type Answer = "allowed" | "asked" | "safe form" | "denied" | "left";

export interface Played {
  readonly step: Step;
  readonly answer: Answer;
  readonly reason: string;
  readonly milliseconds: number;
  /** Whether a user is asked by the hook or by the client, or has to step in because of a denial. */
  readonly interrupts: boolean;
  /** Whether it interrupts and the client alone would not. */
  readonly adds: boolean;
  /** Whether it runs without a question to a user. */
  readonly runs: boolean;
  /** Neither runs nor can be approved: a denial without the rule that would allow it, or of a client that asks. */
  readonly isFinal: boolean;
}

export interface Stage {
  readonly mode: ClientMode;
  readonly shop: Shop;
  /** Replaces the policy. */
  readonly policyFile?: string;
}

/** How one call is answered: within this process, or by the installed program. */
export type Ask = (payload: Fields, stage: Stage) => Promise<HookAnswer>;

export const inProcess: Ask = async (payload, { mode, shop, policyFile }) => {
  const before = process.cwd();
  // Clients start their hooks there.
  process.chdir(shop.project);
  try {
    return await runHook({
      policyFile,
      client: mode.client,
      text: JSON.stringify(payload),
      environment: { ...shop.environment, CLAUDE_PROJECT_DIR: shop.project },
    });
  } finally {
    process.chdir(before);
  }
};

export const byProgram: Ask = async (payload, { mode, shop }) => {
  const { code, stdout, stderr } = await runProgram([...OWN_COMMAND, "hook", mode.client], {
    stdin: JSON.stringify(payload),
    cwd: shop.project,
    env: { ...shop.environment, CLAUDE_PROJECT_DIR: shop.project },
  });
  if (code !== 0 && code !== 2) throw new Error(`The hook ended with ${code}: ${stderr}`);
  return { stdout, stderr, exitCode: code };
};

/** Plays steps, each in a conversation of its own. Steps that the client does not have are left out. */
export async function playAlone(
  steps: readonly Step[],
  stage: Stage,
  ask = inProcess,
): Promise<readonly Played[]> {
  const played: Played[] = [];
  for (const step of steps)
    played.push(...(await playStep(step, { ...stage, conversation: randomUUID() }, ask)));
  return played;
}

/** Plays steps in one conversation. What is not denied is edited, as the client would do. */
export async function playTogether(
  steps: readonly Step[],
  stage: Stage,
  ask = inProcess,
): Promise<readonly Played[]> {
  const conversation = randomUUID();
  const played: Played[] = [];
  for (const step of steps) {
    const made = await playStep(step, { ...stage, conversation }, ask);
    played.push(...made);
    if (made.every(({ answer }) => answer !== "denied")) applyEdit(placed(step.call, stage.shop));
  }
  return played;
}

/** Plays one step. Nothing comes of it if the client does not have it. */
export async function playStep(
  step: Step,
  { conversation, callId, ...stage }: Stage & { readonly conversation: string; readonly callId?: string },
  ask: Ask,
): Promise<readonly Played[]> {
  const { mode, shop } = stage;
  const made = mode.payload(placed(step.call, shop), { project: shop.project, conversation });
  if (made === undefined) return [];
  const payload = callId === undefined ? made : { ...made, tool_use_id: callId };
  const started = performance.now();
  const answered = await ask(payload, stage);
  const milliseconds = performance.now() - started;
  const { answer, reason } = answerIn(answered);
  const canAsk = mode.asksUser(payload);
  const isAlone = mode.interruptsAlone(step);
  const isPrompt = answer === "left" && isAlone;
  const isAsk = (answer === "asked" && canAsk) || isPrompt;
  return [
    {
      ...{ step, answer, reason, milliseconds },
      interrupts: isAsk || answer === "denied",
      adds: !isAlone && (isAsk || answer === "denied"),
      runs: !isAsk && answer !== "denied" && answer !== "safe form",
      isFinal: answer === "denied" && (canAsk || !NAMED_RULE.test(reason)),
    },
  ];
}

/** The words of a refusal that tells a command to use instead. */
const SAFE_FORM = /\bneeds no approval: \S/;
/** A rule in the words of a reason. */
const NAMED_RULE = /`(?:toolkeep allow|allow|ask|deny) [^`]+`/;

export function answerIn({ stdout, stderr, exitCode }: HookAnswer): {
  readonly answer: Answer;
  readonly reason: string;
} {
  if (exitCode === 2) return { answer: "denied", reason: stderr.trim() };
  const { hookSpecificOutput: said, permission, agent_message: words, ...other } = JSON.parse(stdout);
  const action = said?.permissionDecision ?? permission ?? other.decision ?? "none";
  const reason = String(said?.permissionDecisionReason ?? words ?? other.reason ?? "");
  const answers: Readonly<Record<string, Answer>> = {
    allow: "allowed",
    ask: "asked",
    none: "left",
    deny: "denied",
  };
  const answer = answers[action];
  if (answer === undefined) throw new Error(`The hook said ${action}.`);
  return { answer: answer === "denied" && SAFE_FORM.test(reason) ? "safe form" : answer, reason };
}

export function applyEdit({ tool, input }: ClientCall): void {
  const { file_path: path, old_string: before, new_string: after, content } = input;
  if (typeof path !== "string") return;
  if (tool === "Write") {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, String(content));
  }
  if (tool !== "Edit" || !existsSync(path)) return;
  writeFileSync(path, readFileSync(path, "utf8").replace(String(before), String(after)));
}
