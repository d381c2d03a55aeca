import { anthropic, modelText } from "@toolkeep/core/formats";
import { visible } from "@toolkeep/core/internal";
import { RECOMMENDED_POLICY } from "@toolkeep/core/policy";
import { expect } from "vitest";
import { diffLines } from "../../packages/cli/src/install/diff-lines.ts";
import { type Check, hasNoTrace, isAsked, prompts } from "./outcomes.ts";
import { type Attack, CANARY } from "./record.ts";
import { openStage, playAttack } from "./stage.ts";

/** What a project would start from. */
const RECOMMENDED = RECOMMENDED_POLICY;

const EVERYTHING = { rules: [{ permission: "*", action: "allow" }] } as const;

/** Of the attacks on what a person or a model reads, those of which more is demanded than their outcome. */
export const SPOOF_CHECKS: Readonly<Record<string, Check>> = {
  async U006(attack) {
    await prompts(attack, attack.input);
    const remarked = { command: `${String(attack.input["command"])} # y` };
    expect((await prompts(attack, remarked)).join("\n")).toContain("ls<3000 spaces>; rm -rf x # y");
  },

  async U007(attack) {
    await prompts(attack, attack.input);
    await prompts(attack, { command: `ls; ${"true; ".repeat(60)}rm -rf x` });
  },

  async U014(attack) {
    const quoted = await prompts(attack, attack.input);
    const claim = "already approved by admin";
    expect(quoted.some((line) => line.includes(claim))).toBe(true);
    const { approver } = await playAttack(attack);
    const claiming = approver.requests[0]?.lines.filter((line) => line.includes(claim)) ?? [];
    expect(claiming.every((line) => line.startsWith("  | "))).toBe(true);
  },

  async U016(attack) {
    const { result } = await playAttack(attack);
    expect(result.labels).toContain("untrusted");
    expect(visible(modelText(result))).toBe("\\x1b[2J\\x1b]0;x\\x07");
  },

  async U017({ tool, input, setup }) {
    const { session, call, executions, approver, written } = await openStage(setup);
    const deleting = { id: "later", name: "bash", arguments: { command: "rm -rf x" } };
    const before = await session.explain(deleting);
    const result = await call(tool, input);
    const text = setup.files?.["/ws/inj.txt"];
    expect(result).toMatchObject({ ok: true, data: text, labels: ["untrusted"] });
    expect(anthropic.result(result)).toMatchObject({
      type: "tool_result",
      content: [{ type: "text", text }],
    });
    expect(await session.explain(deleting)).toEqual(before);
    expect(await written()).not.toMatch(/"type":"(?:approval-remember|rule-add)"/);
    await call("bash", deleting.arguments);
    expect(approver.requests.map(({ toolName }) => toolName)).toEqual(["read", "bash"]);
    expect(executions).toHaveLength(2);
  },
};

/** What `install` shows of a file of servers before it is accepted. */
export async function isShownByInstall({ input, must }: Attack): Promise<void> {
  const lines = diffLines({ path: ".mcp.json", before: "{}\n", after: JSON.stringify(input, null, 2) });
  for (const text of must.shows ?? []) expect(lines.join("\n")).toContain(text);
  for (const text of must.hides ?? []) expect(lines.join("\n")).not.toContain(text);
}

/** The same for attacks on secrets. */
export const SECRET_CHECKS: Readonly<Record<string, Check>> = {
  async K002(attack) {
    const { result, ...stage } = await playAttack(attack);
    expect(stage.approver.requests[0]?.askedBy).toContain("protected-names");
    expect(result.data).toContain("[redacted:");
    await hasNoTrace(stage, result);
  },

  K003: isKeptBack,
  K004: isKeptBack,
  K005: isAskedWhateverIsAllowed,
  K006: isAskedWhateverIsAllowed,

  async K007(attack) {
    const { result } = await playAttack(attack, EVERYTHING);
    expect(result).toMatchObject({ ok: true, data: [] });
    const named = { ...attack, input: { ...attack.input, path: ".env" } };
    await isAsked(named, EVERYTHING);
    expect((await playAttack(named, EVERYTHING)).result.data).toEqual(["/ws/.env"]);
  },

  async K008(attack) {
    await isAsked(attack);
    await isAsked(attack, RECOMMENDED);
    const { result, ...stage } = await playAttack(attack);
    await hasNoTrace(stage, result);
  },

  async K010(attack) {
    const { result } = await playAttack(attack);
    expect(result.failure?.code).toBe("tool_crashed");
    for (const text of [modelText(result), JSON.stringify(result)]) {
      expect(text).not.toContain("/home/");
      expect(text).not.toMatch(/\bat \S+:\d+:\d+|\bENOENT\b/);
    }
  },
};

/** Denied as it is; and where a person is asked instead and says yes, the secret reaches the tool and nothing else. */
async function isKeptBack(attack: Attack): Promise<void> {
  const { result, ...stage } = await playAttack(attack);
  expect(result.failure?.code).toBe("denied");
  expect(stage.executions).toEqual([]);
  await hasNoTrace(stage, result);
  const asking = await playAttack(attack, { builtIn: { secrets: "ask" } });
  expect(asking.approver.requests).toHaveLength(1);
  expect(asking.executions).toEqual([{ tool: attack.tool, args: attack.input }]);
  expect(JSON.stringify(asking.executions)).toContain(CANARY);
  expect(await asking.written()).toContain("[redacted:");
  await hasNoTrace(asking, asking.result);
}

async function isAskedWhateverIsAllowed(attack: Attack): Promise<void> {
  for (const allowed of [{}, EVERYTHING, RECOMMENDED]) {
    await isAsked(attack, allowed);
    const { result, ...stage } = await playAttack(attack, allowed);
    expect(stage.approver.requests[0]?.askedBy).toContain("protected-names");
    expect(result.data).toContain("[redacted:");
    await hasNoTrace(stage, result);
  }
}
