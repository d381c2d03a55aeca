import { alternatingRounds, type SlowTask } from "../host/alternating-rounds.ts";
import { type Reached, reach } from "./reach.ts";
import type { Wire } from "./serve-on.ts";

/** A process between a client and the server. */
export const BETWEEN = {
  bare: (wire: Wire) => `pass-through, ${wire}`,
  memory: (wire: Wire) => `gateway in memory, ${wire}`,
  sqlite: (wire: Wire) => `gateway with SQLite, ${wire}`,
};

export const FIRST_LIST = { bare: "first tools/list, pass-through", ours: "first tools/list, gateway" };
export const NEXT_LIST = { bare: "tools/list again, pass-through", ours: "tools/list again, gateway" };

type Times = ReadonlyMap<string, readonly number[]>;

/** Milliseconds of one call, for each contender. */
export async function callTimes(wire: Wire, rounds: number, calls: number): Promise<Times> {
  const [bare, memory, sqlite] = await Promise.all([
    reach(wire, "pass-through-process.ts", [wire, "20"]),
    reach(wire, "governed-process.ts", [wire, "20", "memory"]),
    reach(wire, "governed-process.ts", [wire, "20", "sqlite"]),
  ]);
  const reached = { bare, memory, sqlite };
  const task = (kind: keyof typeof reached, tool: string): SlowTask => ({
    name: BETWEEN[kind](wire),
    run: () => manyCalls(reached[kind], tool, calls),
  });
  try {
    const times = await alternatingRounds(
      [task("bare", "echo_7"), task("memory", "echo_echo_7"), task("sqlite", "echo_echo_7")],
      rounds,
    );
    return new Map([...times].map(([name, list]) => [name, list.map((time) => time / calls)]));
  } finally {
    await Promise.all(Object.values(reached).map((one) => one.close()));
  }
}

/** Sequential calls, as a model makes them. All differ, so that no answer is cached. */
async function manyCalls({ client }: Reached, name: string, calls: number): Promise<void> {
  for (let index = 0; index < calls; index += 1) {
    const text = `${performance.now()} ${index}`;
    const { isError, content } = await client.callTool({ name, arguments: { text, times: 3 } });
    if (isError === true || !JSON.stringify(content).includes(text))
      throw new Error(`Not answered: ${JSON.stringify(content)}`);
  }
}

/** Milliseconds to list the tools: for a new client, and for one that has listed them before. */
export async function listTimes(tools: number, rounds: number): Promise<Times> {
  const times = new Map<string, number[]>();
  const note = (name: string, time: number) => times.set(name, [...(times.get(name) ?? []), time]);
  const start = (file: string) => reach("stdio", file, ["stdio", String(tools), "memory"]);
  for (let round = 0; round < rounds; round += 1) {
    const [bare, ours] = await Promise.all([start("pass-through-process.ts"), start("governed-process.ts")]);
    for (const [kind, reached] of [["bare", bare] as const, ["ours", ours] as const]) {
      note(FIRST_LIST[kind], await timeOfList(reached, tools));
      note(NEXT_LIST[kind], await timeOfList(reached, tools));
    }
    await Promise.all([bare.close(), ours.close()]);
  }
  return times;
}

async function timeOfList({ client }: Reached, tools: number): Promise<number> {
  const start = performance.now();
  const listed = new Set<string>();
  let cursor: string | undefined;
  do {
    const page = await client.listTools(cursor === undefined ? {} : { cursor });
    for (const { name } of page.tools) listed.add(name);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  const time = performance.now() - start;
  if (listed.size < tools) throw new Error(`${listed.size} of ${tools} tools were listed.`);
  return time;
}
