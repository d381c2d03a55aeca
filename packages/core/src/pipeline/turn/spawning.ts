import type { Principal } from "../../contract/people/principal.ts";
import { invalidOption } from "../../contract/values/error.ts";

/** On whose behalf the calls run that are starting subagents right now. */
export class Spawning {
  readonly #open: Principal[] = [];

  async during<Outcome>(principal: Principal, spawn: () => Promise<Outcome>): Promise<Outcome> {
    this.#open.push(principal);
    try {
      return await spawn();
    } finally {
      this.#open.splice(this.#open.indexOf(principal), 1);
    }
  }

  /** The principal of a subagent that is made now. @throws ToolkeepError `invalid_option` if that is not certain. */
  only(own: Principal): Principal {
    const [first = own, ...others] = this.#open;
    if (others.every((other) => isSame(first, other))) return first;
    throw invalidOption(
      "Calls on behalf of different principals are starting subagents. Say for which: `childContext(agent, options.principal)` with the options of the task.",
    );
  }
}

function isSame(one: Principal, other: Principal): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}
