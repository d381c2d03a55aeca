import type { RequestListener } from "node:http";
import type { Tool, ToolResult } from "@toolkeep/core";
import { envelope } from "@toolkeep/core/formats";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { braveSearch } from "../../packages/tools/src/web/brave-search.ts";
import { searxngSearch } from "../../packages/tools/src/web/searxng-search.ts";
import { webSearchTool } from "../../packages/tools/src/web/web-search-tool.ts";
import { ALLOW } from "../scenario.ts";
import { callOnce, environment, type WebBench, webBench } from "./web-bench.ts";

const KEY = "key-of-the-provider";

let answer: RequestListener;
let bench: WebBench;

beforeAll(async () => {
  bench = await webBench(
    (request, response) => answer(request, response),
    environment({ BRAVE_API_KEY: KEY }),
  );
});
afterEach(() => void bench.seen.splice(0));
afterAll(() => bench.close());

function answering(value: unknown, status = 200): RequestListener {
  return (_request, response) => response.writeHead(status).end(JSON.stringify(value));
}

describe("a provider that fails", () => {
  const failing = async (listener: RequestListener, timeoutMs?: number): Promise<ToolResult> => {
    answer = listener;
    const provider = braveSearch({ url: `${bench.origin}/search`, key: KEY });
    const tool = webSearchTool({ providers: [provider], ...(timeoutMs === undefined ? {} : { timeoutMs }) });
    await using session = await bench.session([tool], { limits: { retry: { unitMs: 1 } } });
    return await session.call({ id: "c1", name: "web_search", arguments: { query: "x" } });
  };

  test("is named with its status, asked once, and its response is not shown", async () => {
    const result = await failing(answering({ error: `bad key ${KEY}` }, 429));
    expect(result.failure).toMatchObject({ code: "unavailable" });
    expect(result.failure?.message).toBe("The search provider brave failed. It responded with status 429.");
    expect(JSON.stringify(result)).not.toContain(KEY);
    expect(bench.seen).toHaveLength(1);
  });

  test("fails if its response is not JSON, or is incomplete", async () => {
    const text = await failing((_request, response) => response.end("<html>"));
    expect(text.failure?.message).toContain("Its response is not JSON.");
    const broken = await failing((request) => request.socket.destroy());
    expect(broken.failure?.code).toBe("unavailable");
    expect(bench.seen).toHaveLength(2);
  });

  test("[C51] is stopped at its timeout", async () => {
    const result = await failing(() => {}, 300);
    expect(result.failure?.code).toBe("timed_out");
    expect(result.durationMs).toBeLessThan(14_000);
    expect(webSearchTool({ providers: [braveSearch()] }).timeoutMs).toBe(15_000);
  });

  test("may not redirect the search to another host", async () => {
    const result = await failing((_request, response) =>
      response.writeHead(302, { location: `${bench.elsewhere}/steal` }).end(),
    );
    expect(result.failure?.code).toBe("out_of_scope");
    expect(bench.seen.map(({ url }) => url?.split("?")[0])).toEqual(["/search"]);
  });
});

describe("the key", () => {
  const provider = () => braveSearch({ url: `${bench.origin}/search` });

  test("is read from the declared environment variable if it is not given", async () => {
    answer = answering({});
    await using session = await bench.session([webSearchTool({ providers: [provider()] })], {
      // Reading the environment accesses private data, and searching sends some of it out.
      policy: { rules: ALLOW, builtIn: { "rule-of-two": "off" } },
    });
    const result = await session.call({ id: "c1", name: "web_search", arguments: { query: "x" } });
    expect(result.failure).toBeUndefined();
    expect(bench.seen[0]?.headers["x-subscription-token"]).toBe(KEY);
  });

  test("that is missing is named, and no provider is asked", async () => {
    const tool = webSearchTool({ providers: [braveSearch({ url: bench.origin, key: "" })] });
    const result = await callOnce(bench, tool, { query: "x" });
    expect(result.failure?.message).toBe("The search provider brave has no key.");
    expect(bench.seen).toHaveLength(0);
  });

  test("and the host are all that is required", () => {
    const { requires } = webSearchTool({ providers: [provider(), searxngSearch({ url: bench.elsewhere })] });
    const capabilities = ["net.search"];
    expect(requires).toEqual({
      capabilities,
      net: { hosts: ["one.test", "two.test"] },
      env: ["BRAVE_API_KEY"],
    });
    const given = webSearchTool({ providers: [braveSearch({ key: KEY })] });
    expect(given.requires).toEqual({ capabilities, net: { hosts: ["api.search.brave.com"] }, env: [] });
  });
});

describe("a session", () => {
  const tools = (...hosts: readonly string[]): Tool => {
    const [first = "", ...rest] = hosts.map((host) => `${host}/search`);
    return webSearchTool({
      providers: [searxngSearch({ url: first }), ...rest.map((url) => searxngSearch({ url }))],
    });
  };

  test("[C51] makes 25 searches, and the 26th fails, in one batch as well as one by one (R020)", async () => {
    answer = answering({ results: [] });
    await using session = await bench.session([tools(bench.origin)]);
    const outcome = await session.run(
      Array.from({ length: 24 }, (_, n) => ({
        id: `c${n}`,
        name: "web_search",
        arguments: { query: `q${n}` },
      })),
    );
    expect(outcome.results.every((result) => result?.ok)).toBe(true);
    const last = await session.call({ id: "a", name: "web_search", arguments: { query: "last" } });
    expect(last.ok).toBe(true);
    const more = await session.call({ id: "b", name: "web_search", arguments: { query: "more" } });
    expect(envelope.result(more)).toMatchObject({
      type: "error",
      error_text: expect.stringContaining("25 searches"),
    });
    expect(more.failure?.code).toBe("budget_exceeded");
    expect(bench.seen).toHaveLength(25);
  });

  test("[C52] uses one provider by its id, and different sessions use different providers", async () => {
    answer = answering({ results: [] });
    const hostsOf = async (sessionId: string) => {
      bench.seen.splice(0);
      await using session = await bench.session([tools(bench.origin, bench.elsewhere)], { id: sessionId });
      for (const id of ["a", "b", "c"])
        await session.call({ id, name: "web_search", arguments: { query: id } });
      return [...new Set(bench.seen.map(({ headers }) => headers.host?.split(":")[0]))];
    };
    const used = new Set<string | undefined>();
    for (let n = 0; n < 12; n += 1) {
      const hosts = await hostsOf(`session-${n}`);
      expect(hosts).toHaveLength(1);
      expect(await hostsOf(`session-${n}`)).toEqual(hosts);
      used.add(hosts[0]);
    }
    expect(used).toEqual(new Set(["one.test", "two.test"]));
  });
});
