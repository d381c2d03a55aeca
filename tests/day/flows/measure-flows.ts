import { evaluate, progress } from "../../../benchmarks/src/report.ts";
import { inHome, openShop, placed, type Shop } from "../hook/shop.ts";
import type { Part } from "../part.ts";
import { wordsOf } from "../step.ts";
import { openDryWorkspace, type Verdict } from "../workspace/dry-session.ts";
import { BENIGN_FLOWS, type Flow } from "./benign-flows.ts";
import { LEAKING_FLOWS } from "./leaking-flows.ts";

/** Counts what benign conversations are asked about, and which ways for data to leave are not. */
export async function measureFlows(): Promise<Part> {
  const shop = await openShop("claude-code");
  try {
    return await inHome(shop, () => measured(shop));
  } finally {
    shop.remove();
  }
}

async function measured(shop: Shop): Promise<Part> {
  const benign = (await decideFlows(BENIGN_FLOWS, shop)).flat();
  const last = (await decideFlows(LEAKING_FLOWS, shop)).map((verdicts) => verdicts.at(-1));
  const passing = LEAKING_FLOWS.filter((_, index) => last[index] === "allow");
  for (const { name, was } of passing) progress(`  passes, ${was} before: ${name}`);
  const count = (all: readonly (Verdict | undefined)[], verdict: Verdict) =>
    all.filter((one) => one === verdict).length;
  const newly = passing.filter(({ was }) => was === "asked").length;
  return {
    goals: [
      evaluate("flows: benign calls denied", count(benign, "deny"), "<= 0"),
      evaluate("flows: ways for data to leave that were asked about and pass now", newly, "<= 0"),
    ],
    figures: [
      {
        name: "flows: benign calls",
        steps: benign.length,
        allowed: count(benign, "allow"),
        asked: count(benign, "ask"),
        denied: count(benign, "deny"),
      },
      {
        name: "flows: ways for data to leave",
        steps: last.length,
        allowed: count(last, "allow"),
        asked: count(last, "ask"),
        denied: count(last, "deny"),
      },
    ],
    voids: [],
    unasked: [],
  };
}

async function decideFlows(flows: readonly Flow[], shop: Shop) {
  const { project } = shop;
  await using sandboxed = await openDryWorkspace({ project });
  await using open = await openDryWorkspace({ project, open: true });
  const all: (readonly (Verdict | undefined)[])[] = [];
  for (const { name, calls, open: isOpen } of flows) {
    const verdicts = await (isOpen === true ? open : sandboxed).decide(calls.map((one) => placed(one, shop)));
    all.push(verdicts);
    for (const [index, call] of calls.entries())
      if (verdicts[index] !== "allow") progress(`  ${verdicts[index]}  ${name}: ${wordsOf(call)}`);
  }
  return all;
}
