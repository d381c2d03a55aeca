import type { ToolResult } from "@toolkeep/core";
import { modelText } from "@toolkeep/core/formats";
import { HEADLESS_DENIAL, headlessApprover } from "@toolkeep/core/internal";
import { expect } from "vitest";
import { type Args, type Attack, CANARY_WORD, type Demand } from "./record.ts";
import { openStage, playAttack, type Stage } from "./stage.ts";

export type Check = (attack: Attack) => Promise<void>;

/** What each outcome means, for attacks that need no more than that. */
export const BY_OUTCOME: Readonly<Partial<Record<Demand["outcome"], Check>>> = {
  deny: isDenied,
  ask: isAsked,
  error: hasInvalidArguments,
  sanitize: isShownPlainly,
  redact: leavesNoTrace,
};

/** Refused, although the approver would have approved. */
export async function isDenied(attack: Attack): Promise<void> {
  const { tool, input, also = [], setup, must } = attack;
  for (const one of [input, ...also]) {
    const stage = await openStage(setup);
    const result = await stage.call(tool, one);
    expect(result.failure?.code, JSON.stringify(one).slice(0, 100)).toBe(must.code ?? "denied");
    expect(stage.approver.requests).toEqual([]);
    expect(stage.executions).toEqual([]);
  }
  await twinRuns(attack);
}

/** One request; the call runs if it is approved, and does not run without an approver. */
export async function isAsked(attack: Attack, extra: Parameters<typeof playAttack>[1] = {}): Promise<void> {
  const { approver, executions } = await playAttack(attack, extra);
  expect(approver.requests).toHaveLength(1);
  expect(executions).toEqual([{ tool: attack.tool, args: attack.input }]);
  const alone = await playAttack(attack, { ...extra, approver: headlessApprover });
  expect(alone.result.failure).toMatchObject({
    code: "denied",
    message: expect.stringContaining(HEADLESS_DENIAL),
  });
  expect(alone.executions).toEqual([]);
  await twinRuns(attack);
}

/** The rules of the attack do allow what they were meant to allow. */
async function twinRuns({ tool, twin, setup }: Attack): Promise<void> {
  if (twin === undefined) return;
  const { call, approver, executions } = await openStage(setup);
  await call(tool, twin);
  expect(approver.requests).toEqual([]);
  expect(executions).toEqual([{ tool, args: twin }]);
}

/** The arguments are invalid, as text or as an object. */
export async function hasInvalidArguments({ tool, input, setup }: Attack): Promise<void> {
  for (const form of [input, JSON.stringify(input)]) {
    const { call, executions, approver } = await openStage(setup);
    expect((await call(tool, form)).failure?.code).toBe("invalid_arguments");
    expect(approver.requests).toEqual([]);
    expect(executions).toEqual([]);
  }
}

/** A slow machine takes so many times as long. What hangs takes far longer. */
const SLOWEST = 10;
const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}\p{Cn}]| {9}/u;
const FRAME =
  /^(?:Allow [\w-]+\?$|With these arguments:$|Why it asks: |"Always" allows [\w-]+ again for this, [a-z ]+:$|Other [a-z]+ are not covered\.$|Rules that would allow this and similar calls:$|The request is too long to be shown in full\.$|This )/;
const QUOTED = /^ {2}\| /;

async function isShownPlainly(attack: Attack): Promise<void> {
  const { tool, input, also = [], setup, must } = attack;
  if (must.code === undefined) {
    await prompts(attack, input);
    return;
  }
  const { call, executions } = await openStage(setup);
  const result = await call(tool, input);
  expect(result.failure?.code).toBe(must.code);
  expect(modelText(result)).not.toMatch(HIDDEN);
  expect(executions).toEqual([]);
  expect(also).not.toEqual([]);
  for (const one of also) await prompts(attack, one);
}

/** The person can read all of it, nothing poses as the frame, and what they approved is what runs. */
export async function prompts({ tool, setup, must }: Attack, input: Args): Promise<readonly string[]> {
  const { call, approver, executions, written } = await openStage(setup);
  const started = performance.now();
  await call(tool, input);
  expect(performance.now() - started).toBeLessThan((must.withinMs ?? Number.POSITIVE_INFINITY) * SLOWEST);
  expect(approver.requests).toHaveLength(1);
  const [request] = approver.requests;
  const lines = request?.lines ?? [];
  for (const line of lines) expect(line).not.toMatch(HIDDEN);
  const quoted = lines.filter((line) => QUOTED.test(line));
  expect(lines.filter((line) => !QUOTED.test(line) && !FRAME.test(line))).toEqual([]);
  for (const text of must.shows ?? []) expect(quoted.join("\n")).toContain(text);
  for (const command of must.lists ?? []) {
    expect(
      quoted.some((line) => line.startsWith(`  | shell.run ${command} (inferred`)),
      command,
    ).toBe(true);
  }
  expect(executions).toEqual([{ tool, args: input }]);
  expect(request?.arguments).toEqual(input);
  expect(await written()).toContain(`"digest":"${request?.binding.arguments}"`);
  return quoted;
}

async function leavesNoTrace(attack: Attack): Promise<void> {
  const { result, ...stage } = await playAttack(attack);
  await hasNoTrace(stage, result);
  expect(result.data).toContain("[redacted:");
}

/** The canary stands in nothing that was written, shown or handed on. */
export async function hasNoTrace(stage: Stage, result: ToolResult): Promise<void> {
  const written = await stage.written();
  expect(written).toContain(`"callId":"${result.callId}"`);
  for (const text of [
    written,
    JSON.stringify(result),
    modelText(result),
    JSON.stringify(stage.approver.requests),
  ]) {
    expect(text).not.toMatch(CANARY_WORD);
  }
}
