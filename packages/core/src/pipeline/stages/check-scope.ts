import type { Effect } from "../../contract/call/effect.ts";
import type { CanonicalEffect } from "../../contract/policy/policy-call.ts";
import type { ResolvedCall, ScopedCall } from "../../contract/stages/call.ts";
import type { RegisteredTool } from "../../contract/tool/tool.ts";
import { isAstray } from "../../file-names/path-pattern.ts";
import { failure } from "../../results/runtime-failure.ts";
import { shownIn } from "../turn/shown-effects.ts";
import { Refused } from "../turn/stage.ts";
import type { Turn } from "../turn/turn.ts";
import { actionsOn } from "./effects/beyond-scope.ts";

/**
 * Effects must lie within what the tool requires, and within the ceiling. Files that a standard tool does not require
 * are asked about; a ceiling is never asked about.
 */
export function checkScope(call: ResolvedCall, turn: Turn): ScopedCall | Refused {
  const { scope } = turn.runtime;
  const requirements = scope.requirementsOf(call.found);
  const { effects } = call;
  const isShown = shownIn(call, effects, turn);
  const beyond: CanonicalEffect[] = [];
  for (let index = 0; index < effects.length; index += 1) {
    const effect = effects[index] as CanonicalEffect;
    const isRequired = requirements.covers(effect) || isShown?.(effect) === true;
    if (!isRequired && !mayAskAbout(effect, call.found)) return notRequired(call, effect, turn);
    if (!scope.isWithinCeiling(effect)) return aboveCeiling(call, effect);
    if (!isRequired) beyond.push(effect);
  }
  return beyond.length === 0 ? (call as ScopedCall) : withBeyond(call, beyond);
}

/** What it requires is our choice of a default, and not a limit of the user. */
function mayAskAbout({ capability }: Effect, { origin }: RegisteredTool): boolean {
  return origin.source === "bundled" && capability.startsWith("fs.");
}

/** A file outside follows from nothing: a rule has to allow it. */
function withBeyond(call: ResolvedCall, beyond: readonly CanonicalEffect[]): ScopedCall {
  const own = new Map(beyond.map((effect) => [effect, ownEffect(effect)]));
  const effects = call.effects.map((effect) => own.get(effect) ?? effect);
  return { ...(call as ScopedCall), effects, beyond: [...own.values()] };
}

function ownEffect({ implied, ...effect }: CanonicalEffect): CanonicalEffect {
  return effect;
}

function notRequired(call: ResolvedCall, effect: Effect, { runtime }: Turn): Refused {
  const { name } = call.found;
  const stepping = effect.capability.startsWith("fs.") ? steppingUp(effect.target) : undefined;
  if (stepping !== undefined)
    return refused(
      call,
      `The pattern ${JSON.stringify(stepping)} may stand for the folder above, and for files that hold secrets. Name the files.`,
    );
  const isEmpty = runtime.scope.variables.workspace === undefined && usesWorkspace(call.found);
  const isServer = call.found.origin.source === "mcp" && effect.capability.startsWith("fs.");
  const hint = isEmpty
    ? " This session has no workspace: give it `variables`."
    : isServer
      ? " The user can name more paths under `files` in the settings of the server."
      : "";
  return refused(call, `This is outside of what ${name} was declared for: it ${actionsOn([effect])}.${hint}`);
}

/** The pattern in a path that a shell may take for `..`. */
function steppingUp(path: string): string | undefined {
  return path.split("/").find((segment) => /[*?[{]/.test(segment) && isAstray([segment]));
}

function usesWorkspace({ tool: { requires } }: RegisteredTool): boolean {
  return JSON.stringify(requires).includes("{workspace}");
}

function aboveCeiling(call: ResolvedCall, effect: Effect): Refused {
  return refused(call, `This is outside the ceiling of this session: it ${actionsOn([effect])}.`);
}

function refused(call: ResolvedCall, message: string): Refused {
  return new Refused("check-scope", failure("out_of_scope", message), call);
}
