import { expect, test } from "vitest";
import { connect } from "../connection/connect.ts";
import type { Connection } from "../connection/news/connection.ts";
import { PacedWork } from "./paced-work.ts";
import { sourceStage, until } from "./source-stage.test.kit.ts";

const tool = (name: string, description = "Does it.") => ({
  name,
  description,
  inputSchema: { type: "object" },
});
const MANY = Array.from({ length: 500 }, (_, at) => tool(`t${at}`));

test("a server that changes its list without end is listed now and then, and its last list counts", async () => {
  let listings = 0;
  const counted = (...parts: Parameters<typeof connect>): Connection => {
    const connection = connect(...parts);
    const list = connection.listTools.bind(connection);
    connection.listTools = () => {
      listings += 1;
      return list();
    };
    return connection;
  };
  const { source, server, rewrite, registry } = sourceStage({ connect: counted });
  await source.add(await server("a", { tools: MANY }));
  const told: string[] = [];
  source.watch((change) => told.push(change));
  const before = performance.eventLoopUtilization();
  const began = performance.now();
  let turn = 0;
  const timer = setInterval(() => rewrite("a", { tools: [...MANY, tool(`last${++turn}`)] }), 20);
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  clearInterval(timer);
  const { utilization } = performance.eventLoopUtilization(before);
  // After each of them there is a rest of a second or more.
  const most = 1 + Math.floor((performance.now() - began) / 1_000);
  expect(listings).toBeLessThanOrEqual(most);
  expect(told.length).toBeLessThanOrEqual(most);
  // A slow machine is busy with less.
  if (process.env["TOOLKEEP_RUNS"] !== undefined) expect(utilization).toBeLessThan(0.7);
  rewrite("a", { tools: [tool("end")] });
  await until(() => registry.get("a_end") !== undefined, 150_000);
});

test("work is done for everybody who asks, never twice at once, and not again before a rest", async () => {
  let running = 0;
  const begun: number[] = [];
  const paced = new PacedWork(async () => {
    running += 1;
    expect(running).toBe(1);
    begun.push(performance.now());
    await new Promise((resolve) => setTimeout(resolve, 150));
    running -= 1;
  });
  await paced.ask();
  await Promise.all([paced.ask(), paced.ask(), paced.ask()]);
  expect(begun).toHaveLength(2);
  expect((begun[1] ?? 0) - (begun[0] ?? 0)).toBeGreaterThan(1_500);
  const waiting = paced.ask();
  paced.stop();
  await waiting;
  expect(begun).toHaveLength(2);
});

test("work that fails rejects its own request, and runs again for the next one", async () => {
  let turn = 0;
  const paced = new PacedWork(async () => {
    turn += 1;
    if (turn === 1) throw new Error("broken");
  });
  await expect(paced.ask()).rejects.toThrow("broken");
  await paced.ask();
  expect(turn).toBe(2);
});

test("a server that is accepted twice at once, while a person is asked, is started once", async () => {
  const answer = Promise.withResolvers<boolean>();
  const opened: Connection[] = [];
  const { source, program, registry } = sourceStage({
    says: () => answer.promise,
    connect: (...parts) => {
      const connection = connect(...parts);
      opened.push(connection);
      return connection;
    },
  });
  const entry = { ...(await program("theirs", { tools: [tool("x")] })), isOfProject: true };
  const adding = source.add(entry);
  await until(() => source.servers.length === 1);
  const accepting = [source.accept("theirs"), source.accept("theirs")];
  answer.resolve(true);
  await Promise.all([adding, ...accepting]);
  expect(opened).toHaveLength(1);
  expect(registry.get("theirs_x")).toBeDefined();
  await source.close();
  expect(opened.map(({ status }) => status.state)).toEqual(["closed"]);
});
