import { randomUUID } from "node:crypto";
import type { ClientMode } from "../hook/clients.ts";
import { applyEdit, inProcess, type Played, playStep, type Stage } from "../hook/play-hook.ts";
import { inHome, placed } from "../hook/shop.ts";
import { stepsOf, type UnseenStep } from "./days.ts";
import type { Projects } from "./open-projects.ts";

export interface PlayedStep extends Played {
  readonly step: UnseenStep;
}

/**
 * Plays the days through the function behind the hook. The steps of a day are one conversation, whose user says yes
 * to every question; each dangerous step has a conversation of its own.
 */
export async function playDays(
  days: readonly string[],
  { mode, projects }: { readonly mode: ClientMode; readonly projects: Projects },
): Promise<readonly PlayedStep[]> {
  projects.restore();
  const played: PlayedStep[] = [];
  for (const day of days) {
    const shop = projects.of(day);
    played.push(...(await inHome(shop, () => playDay(stepsOf(day), { mode, shop }))));
  }
  return played;
}

async function playDay(steps: readonly UnseenStep[], stage: Stage): Promise<readonly PlayedStep[]> {
  const together = randomUUID();
  const played: PlayedStep[] = [];
  for (const step of steps) {
    const conversation = step.kind === "dangerous" ? randomUUID() : together;
    const callId = `t${step.number}`;
    const made = await playStep(step, { ...stage, conversation, callId }, inProcess);
    played.push(...made.map((one) => ({ ...one, step })));
    if (step.kind === "dangerous" || made.some(({ answer }) => answer === "denied" || answer === "safe form"))
      continue;
    applyEdit(placed(step.call, stage.shop));
    await report(step, { ...stage, conversation, callId });
  }
  return played;
}

/** The client says that the call ran. */
async function report(
  { call }: UnseenStep,
  { conversation, callId, ...stage }: Stage & { readonly conversation: string; readonly callId: string },
): Promise<void> {
  const { mode, shop } = stage;
  const made = mode.payload(placed(call, shop), { project: shop.project, conversation });
  if (made === undefined) return;
  const event = { hook_event_name: "PostToolUse", tool_use_id: callId, tool_response: "" };
  const { exitCode, stderr } = await inProcess({ ...made, ...event }, stage);
  if (exitCode !== 0) throw new Error(`The report of ${call.tool} was refused: ${stderr}`);
}
