import type { Effect } from "../contract/effect.ts";
import { ToolFailure } from "../contract/failure.ts";
import type { EffectResolver } from "../contract/resolve-effects.ts";
import { absolute } from "./recorded-effect-resolver.ts";
import { canonicalTarget, isFile } from "./resolve-effects.ts";
import type { QueuedCall } from "./stage.ts";
import type { Turn } from "./turn.ts";

/**
 * Runs a tool of another program between two looks at where its paths lead. That program opens the paths as they are
 * given: a link that leads elsewhere than when the call was evaluated stops it, and what was read meanwhile is withheld.
 * One that leads there and back again between the looks is not seen.
 */
export function onSamePaths(call: QueuedCall, turn: Turn, run: () => unknown): unknown {
  const { resolver: port } = turn.runtime.ports;
  const { remote, effects } = call.found.tool;
  if (remote === undefined || port === undefined || effects === undefined) return run();
  return between({ call, turn, port }, run);
}

interface Looked {
  readonly call: QueuedCall;
  readonly turn: Turn;
  readonly port: EffectResolver;
}

async function between(looked: Looked, run: () => unknown): Promise<unknown> {
  await look(looked, "Nothing was done.");
  const returned = await run();
  // What was changed is done, and saying so matters more.
  if (looked.call.found.tool.mode === "read") await look(looked, "What came back is not shown.");
  return returned;
}

async function look({ call, turn, port }: Looked, consequence: string): Promise<void> {
  const evaluated = new Set(call.effects.map(nameOf));
  for (const effect of (await call.found.tool.effects?.(call.args, port)) ?? []) {
    if (!isFile(effect) || effect.entriesOf !== undefined) continue;
    const path = absolute(effect.target, turn);
    const target = await canonicalTarget(path, path, port);
    if (!evaluated.has(nameOf({ ...effect, target })))
      throw new ToolFailure(
        "conflict",
        `${JSON.stringify(effect.target)} leads elsewhere than when this call was evaluated. ${consequence}`,
        { hint: "Call it again: it is evaluated again." },
      );
  }
}

function nameOf({ capability, target }: Effect): string {
  return `${capability} ${target}`;
}
