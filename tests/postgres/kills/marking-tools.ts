import { appendFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import type { Tool, ToolContext } from "@toolkeep/core";
import { stubTool } from "@toolkeep/core/testing";
import { KINDS, type Kind, keysAt, type Moment, markLine, marksIn } from "./marks.ts";

/** Between so many milliseconds, before and after the effect. */
interface Times {
  readonly before: readonly [number, number];
  readonly after: readonly [number, number];
}

const EVEN: Times = { before: [250, 450], after: [250, 450] };
/** All take 700 ms. A tool that announces does so right before its effect, near its end. */
const TIMES: Readonly<Record<Kind, Times>> = {
  ...{ plain: EVEN, recovered: EVEN, often: EVEN },
  announced: { before: [510, 710], after: [60, 120] },
};

/** Tools that leave a mark at each moment, in a file that outlives every process. */
export function markingTools(path: string, life: string): readonly Tool[] {
  return KINDS.map((kind) => {
    const work = async (_args: unknown, ctx: ToolContext) => {
      const { idempotencyKey: key, abortSignal: signal } = ctx;
      const mark = (moment: Moment) => appendFileSync(path, markLine({ life, moment, kind, key }));
      mark("begin");
      await pause(between(TIMES[kind].before), undefined, { signal });
      if (kind === "announced") {
        mark("acting");
        await ctx.acting();
      }
      mark("effect");
      await pause(between(TIMES[kind].after), undefined, { signal });
      return { done: true };
    };
    return stubTool(kind, work, {
      idempotent: kind === "often",
      ...(kind === "announced" ? { announces: true } : {}),
      ...(kind === "recovered" ? { recover: (_args, ctx) => recovered(path, ctx.idempotencyKey) } : {}),
    }).tool;
  });
}

/** The marks tell for certain, as a service that knows the key does. */
function recovered(path: string, key: string) {
  const happened = keysAt(marksIn(path), "effect").includes(key);
  return happened ? ({ happened, value: { done: true } } as const) : ({ happened } as const);
}

function between([least, most]: readonly [number, number]): number {
  return least + Math.random() * (most - least);
}
