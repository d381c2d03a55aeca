import type { Ceiling, Effect, RequirementSet, Variables } from "../../contract/call/effect.ts";
import type { RegisteredTool } from "../../contract/tool/tool.ts";
import {
  type CompiledRequirements,
  compileRequirements,
  expandRequirements,
} from "../../policy/rules/requirements.ts";

/** What each tool may ever need, and the most that any may. */
export class Scope {
  readonly variables: Variables;
  /** This one's and those of its parents, with the variables replaced. */
  readonly ceilings: readonly RequirementSet[];
  readonly #ceiling: CompiledRequirements | undefined;
  /** The parent's: a child is held by it as well. */
  readonly #outer: Scope | undefined;
  readonly #compiled = new WeakMap<RegisteredTool, CompiledRequirements>();

  constructor(variables: Variables, ceiling: Ceiling, outer?: Scope) {
    this.variables = variables;
    this.#outer = outer;
    this.#ceiling = ceiling === "unlimited" ? undefined : compileRequirements(ceiling, variables);
    this.ceilings = [
      ...(outer?.ceilings ?? []),
      ...(ceiling === "unlimited" ? [] : [expandRequirements(ceiling, variables)]),
    ];
  }

  /** What a tool may ever need, with the variables replaced. Nothing, where it cannot tell. */
  expandedRequirementsOf({ tool: { requires } }: RegisteredTool): RequirementSet {
    return requires === "unknown" ? {} : expandRequirements(requires, this.variables);
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
