import type { Effect } from "../../contract/call/effect.ts";
import { ToolFailure } from "../../contract/call/result.ts";
import type { EffectResolver } from "../../contract/io/resolve-effects.ts";
import type { ToolContext } from "../../contract/tool/tool.ts";
import type { QueuedCall } from "../turn/stage.ts";
import type { Turn } from "../turn/turn.ts";
import { absolute } from "./effects/recorded-effect-resolver.ts";
import { canonicalTarget, isFile } from "./resolve-effects.ts";

/**
 * Runs a tool of another program between two looks at where its paths lead. That program opens the paths as they are
 * given: a link that leads elsewhere than when the call was evaluated stops it, and what was read meanwhile is withheld.
 * One that leads there and back again between the looks is not seen.
 */
export function onSamePaths(call: QueuedCall, turn: Turn, context: ToolContext): unknown {
  const { resolver: port } = turn.runtime.ports;
  const { tool } = call.found;
  if (tool.remote === undefined || port === undefined || tool.effects === undefined)
    return tool.execute(call.args, context);
  return between({ call, turn, port }, context);
}

interface Looked {
  readonly call: QueuedCall;
  readonly turn: Turn;
  readonly port: EffectResolver;
}

async function between(looked: Looked, context: ToolContext): Promise<unknown> {
  await look(looked, "Nothing was done.");
  const { found, args } = looked.call;
  const returned = await found.tool.execute(args, context);
  // What was changed is done, and saying so matters more.
  if (found.tool.mode === "read") await look(looked, "What came back is not shown.");
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
