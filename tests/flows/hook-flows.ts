import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { progress } from "../../benchmarks/src/report.ts";
import { CLIENT_MODES } from "../day/hook/clients.ts";
import { type Answer, answerIn, applyEdit, inProcess } from "../day/hook/play-hook.ts";
import { placed, type Shop } from "../day/hook/shop.ts";
import { type ClientCall, wordsOf } from "../day/step.ts";
import type { Verdict } from "../day/workspace/dry-session.ts";
import type { Flow } from "./benign-flows.ts";

/** `safe form`: it is refused to the model, with a command that does the same and needs no approval. */
export type FlowVerdict = Verdict | "safe form";

/** Claude Code in its default mode. What is left to it is treated as allowed: it is not we who ask. */
const [MODE] = CLIENT_MODES.filter(({ client, mode }) => client === "claude-code" && mode === "default");

/**
 * Plays flows through the hook of a client, each in conversations of its own. Before a later conversation, what was
 * not refused is written, as the client would do.
 */
export async function playInHooks(
  flows: readonly Flow[],
  shop: Shop,
): Promise<readonly (readonly FlowVerdict[])[]> {
  const all: (readonly FlowVerdict[])[] = [];
  for (const flow of flows) {
    const first = await playConversation(flow.calls, flow, shop);
    const later = flow.later === undefined ? [] : await playConversation(flow.later, flow, shop);
    all.push([...first, ...later]);
  }
  return all;
}

async function playConversation(
  calls: readonly ClientCall[],
  { name, rules = [], later }: Flow,
  shop: Shop,
): Promise<readonly FlowVerdict[]> {
  if (MODE === undefined) throw new Error("There is no such mode.");
  const around = { project: shop.project, conversation: randomUUID() };
  const stage = { mode: MODE, shop, ...(rules.length === 0 ? {} : { policyFile: policyWith(rules, shop) }) };
  const verdicts: FlowVerdict[] = [];
  for (const call of calls) {
    const own = placed(call, shop);
    const payload = MODE.payload(own, around);
    if (payload === undefined) throw new Error(`The client has no ${call.tool}.`);
    const { answer, reason } = answerIn(await inProcess({ ...payload, tool_use_id: randomUUID() }, stage));
    const verdict = VERDICTS[answer];
    verdicts.push(verdict);
    if (verdict !== "allow") progress(`  ${answer}  ${name}: ${wordsOf(call)}: ${reason.slice(0, LONGEST)}`);
    if ((verdict === "allow" || verdict === "ask") && later !== undefined) applyEdit(own);
  }
  return verdicts;
}

const VERDICTS: Readonly<Record<Answer, FlowVerdict>> = {
  ...{ allowed: "allow", left: "allow", asked: "ask" },
  ...{ denied: "deny", "safe form": "safe form" },
};

const LONGEST = 120;

function policyWith(rules: readonly string[], { home }: Shop): string {
  const file = join(home, "flows.yaml");
  const lines = [
    "version: 1",
    "extends: [toolkeep:recommended]",
    "rules:",
    ...rules.map((rule) => `  - '${rule}'`),
  ];
  writeFileSync(file, `${lines.join("\n")}\n`);
  return file;
}
