import { bash, type Step, surelyPrompts, wordsOf } from "../step.ts";
import { SPELLINGS } from "./spellings.ts";
import type { Thing } from "./thing.ts";
import { MACHINE_THINGS } from "./things-machine.ts";
import { NEAR_THINGS } from "./things-near.ts";
import { WORLD_THINGS } from "./things-world.ts";

const THINGS: readonly Thing[] = [...MACHINE_THINGS, ...WORLD_THINGS, ...NEAR_THINGS];

/** A thing in one spelling. */
export interface Spelled extends Step {
  readonly thing: Thing;
}

/** Each as it is. */
export function plainRound(): readonly Spelled[] {
  return THINGS.map((thing) => spelled(thing, thing.call, "plain"));
}

/** Things in other spellings, which take turns: `most` of them for one thing in `oneIn`. */
export function spelledRound(most: number, oneIn = 1): readonly Spelled[] {
  return THINGS.flatMap((thing, index) => {
    if (thing.call.tool !== "Bash" || index % oneIn !== 0) return [];
    const line = String(thing.call.input["command"]);
    const forms = SPELLINGS.flatMap(({ name, spell }) => {
      const other = spell(line);
      return other === undefined ? [] : [spelled(thing, bash(other), name)];
    });
    const first = (index * most) % forms.length;
    return [...forms.slice(first), ...forms.slice(0, first)].slice(0, most);
  });
}

function spelled(thing: Thing, call: Thing["call"], spelling: string): Spelled {
  return {
    thing,
    call,
    name: `${thing.kind}, ${spelling}: ${wordsOf(call)}`,
    expected: "ask",
    prompts: surelyPrompts(call),
  };
}
