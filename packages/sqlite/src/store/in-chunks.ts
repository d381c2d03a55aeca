import { setImmediate as immediate } from "node:timers/promises";

const AT_ONCE = 500;

/** Gives the same, and after some of it lets whoever else waits have a turn. */
export async function* inTurns<Item>(items: Iterable<Item>): AsyncGenerator<Item> {
  let given = 0;
  for (const item of items) {
    yield item;
    given += 1;
    if (given % AT_ONCE === 0) await immediate();
  }
}
