import type { ConfinedCall, ForeseenCall, RegisteredTool } from "../contract/call.ts";
import type { Effect } from "../contract/effect.ts";
import type { Ceiling, Variables } from "../contract/requirements.ts";
import { type CompiledRequirements, compileRequirements } from "../policy/requirements.ts";
import { failure } from "../results/runtime-failure.ts";
import { Refused } from "./stage.ts";
import type { Turn } from "./turn.ts";

/** What each tool may ever need, and the most that any may. */
export class Confinement {
  readonly variables: Variables;
  readonly #ceiling: CompiledRequirements | undefined;
  /** The parent's: a child is held by it as well. */
  readonly #outer: Confinement | undefined;
  readonly #compiled = new WeakMap<RegisteredTool, CompiledRequirements>();

  constructor(variables: Variables, ceiling: Ceiling, outer?: Confinement) {
    this.variables = variables;
    this.#outer = outer;
    this.#ceiling = ceiling === "unlimited" ? undefined : compileRequirements(ceiling, variables);
  }

  requirementsOf(tool: RegisteredTool): CompiledRequirements {
    const known = this.#compiled.get(tool);
    if (known !== undefined) return known;
    const compiled = compileRequirements(tool.tool.requires, this.variables);
    this.#compiled.set(tool, compiled);
    return compiled;
  }

  isWithinCeiling(effect: Effect): boolean {
    if (this.#outer?.isWithinCeiling(effect) === false) return false;
    return this.#ceiling === undefined || this.#ceiling.covers(effect);
  }
}

/** Effects must lie within what the tool requires, and within the ceiling. */
export function confine(call: ForeseenCall, turn: Turn): ConfinedCall | Refused {
  const { confinement } = turn.runtime;
  const requirements = confinement.requirementsOf(call.found);
  const { effects } = call;
  for (let index = 0; index < effects.length; index += 1) {
    const effect = effects[index] as Effect;
    if (!requirements.covers(effect)) return outOfScope(call, effect, `what ${call.found.name} requires`);
    if (!confinement.isWithinCeiling(effect)) return outOfScope(call, effect, "the ceiling of this session");
  }
  return call as ConfinedCall;
}

function outOfScope(call: ForeseenCall, effect: Effect, limit: string): Refused {
  const message = `${effect.capability} on ${JSON.stringify(effect.target)} is outside ${limit}.`;
  return new Refused("confine", failure("out_of_scope", message), call);
}
