import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { shopServer, temporaryFolder } from "./gateway-bench.ts";
import { journalText, openPeople, type PeopleBench } from "./people.ts";
import { GENERATIONS, textOf } from "./served.ts";

let bench: PeopleBench;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let log: string;
beforeAll(async () => {
  folder = await temporaryFolder();
  log = join(folder.path, "log");
  bench = await openPeople({ servers: [shopServer("shop", { SHOP_LOG: log })] });
});
afterAll(async () => {
  await bench.close();
  await folder.remove();
});

const token = (sub: string, more: object = {}) => bench.issuer.token({ claims: { sub, ...more } });
const releasing = { groups: ["release"] };
const YES = { action: "accept", content: { decision: "Allow once" } } as const;
const deployed = (version: string) =>
  existsSync(log)
    ? readFileSync(log, "utf8")
        .split("\n")
        .filter((line) => line === version).length
    : 0;

test.each(GENERATIONS)(
  "two people with %s clients at one gateway have their own sessions, tools and approvals",
  async (generation) => {
    const [ada, eve, version] = [`ada-${generation}`, `eve-${generation}`, `1-${generation}`];
    const asked: string[] = [];
    const elicit = (who: string) => () => {
      asked.push(who);
      return YES;
    };
    const one = await bench.connect(await token(ada, releasing), generation, { elicit: elicit(ada) });
    const other = await bench.connect(await token(eve), generation, { elicit: elicit(eve) });
    const names = async ({ client }: typeof one) => (await client.listTools()).tools.map(({ name }) => name);
    expect(await names(one)).toContain("shop_deploy");
    expect(await names(other)).not.toContain("shop_deploy");
    expect(await names(other)).toContain("shop_stock");

    const call = { name: "shop_deploy", arguments: { version } };
    expect(textOf(await one.client.callTool(call))).toBe(`deployed ${version}`);
    expect((await other.client.callTool(call)).isError).toBe(true);
    expect(asked).toEqual([ada]);
    expect(deployed(version)).toBe(1);

    const [ofAda, ofEve] = [bench.sessions.get(ada), bench.sessions.get(eve)];
    expect(ofAda?.id).not.toBe(ofEve?.id);
    expect(await journalText(ofAda)).toContain(`"user":"${ada}","groups":["release"]`);
    expect(await journalText(ofAda)).toContain(`"by":"${ada}"`);
    expect(await journalText(ofAda)).not.toContain(eve);
    expect(await journalText(ofEve)).toContain(`"user":"${eve}"`);
    expect(await journalText(ofEve)).not.toContain(ada);
    expect(await journalText(bench.sessions.get(""))).not.toMatch(/ada|eve-/);
  },
);

test("no person continues, or answers, what waits for another", async () => {
  const first = await bench.connect(await token("ada", releasing), "modern", { elicit: () => YES });
  const second = await bench.connect(await token("bob", releasing), "modern", { elicit: () => YES });
  const params = { name: "shop_deploy", arguments: { version: "7" } };
  const options = { allowInputRequired: true } as never;
  const asked = (await first.client.callTool(params, options)) as unknown as {
    readonly requestState: string;
    readonly inputRequests: Readonly<Record<string, unknown>>;
  };
  const inputResponses = Object.fromEntries(Object.keys(asked.inputRequests).map((id) => [id, YES]));
  const answered = { ...params, requestState: asked.requestState, inputResponses };
  await expect(second.client.callTool(answered as never, options)).rejects.toMatchObject({ code: -32_602 });
  expect(await bench.sessions.get("bob")?.waiting()).toEqual([]);
  expect(deployed("7")).toBe(0);

  // The same call of another person is another call.
  const own = (await second.client.callTool(params, options)) as unknown as {
    readonly inputRequests: object;
  };
  expect(Object.keys(own.inputRequests)).not.toEqual(Object.keys(asked.inputRequests));
  expect(await bench.sessions.get("ada")?.waiting()).toHaveLength(1);
  expect(textOf(await first.client.callTool(answered as never, options))).toBe("deployed 7");
  expect(await bench.sessions.get("bob")?.waiting()).toHaveLength(1);
  expect(deployed("7")).toBe(1);
});

test("another client of the same person has a session of its own, and so have other groups", async () => {
  const opened = async (more: object) => {
    await bench.connect(await token("joan", more), "legacy");
    return bench.sessions.get("joan");
  };
  const first = await opened(releasing);
  const second = await opened({ ...releasing, client_id: "another" });
  const third = await opened({ groups: ["intern"] });
  expect(new Set([first?.id, second?.id, third?.id]).size).toBe(3);
  expect(await journalText(third)).toContain('"groups":["intern"]');
});

test("the token of a person is nowhere but in the request", async () => {
  const given = await token("tom", releasing);
  const { client } = await bench.connect(given, "legacy", { elicit: () => YES });
  await client.callTool({ name: "shop_deploy", arguments: { version: "9" } });
  await client.callTool({ name: "shop_no_such", arguments: {} }).catch(() => {});
  await bench.send(`${given}x`);
  const [, body = "", signature = ""] = given.split(".");
  const journals = await Promise.all([...bench.sessions.values()].map(journalText));
  const pids = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, "utf8").trim().split(" ");
  const environments = pids.map((pid) => {
    try {
      return readFileSync(`/proc/${pid}/environ`, "utf8");
    } catch {
      return "";
    }
  });
  const all = [...journals, ...bench.notes, ...environments].join("\n");
  expect(all).not.toContain(body);
  expect(all).not.toContain(signature);
});
