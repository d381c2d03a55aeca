import type { RequestListener } from "node:http";
import { createRegistry } from "@toolkeep/core";
import { toolConformance } from "@toolkeep/core/testing";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { braveSearch } from "../../packages/tools/src/web/brave-search.ts";
import { exaSearch } from "../../packages/tools/src/web/exa-search.ts";
import { googleSearch } from "../../packages/tools/src/web/google-search.ts";
import type { SearchProvider } from "../../packages/tools/src/web/search-provider.ts";
import { searxngSearch } from "../../packages/tools/src/web/searxng-search.ts";
import { tavilySearch } from "../../packages/tools/src/web/tavily-search.ts";
import { webSearchTool } from "../../packages/tools/src/web/web-search-tool.ts";
import { callOnce, type WebBench, webBench } from "./web-bench.ts";

const KEY = "key-of-the-provider";

let answer: RequestListener;
let bench: WebBench;

beforeAll(async () => {
  bench = await webBench((request, response) => answer(request, response));
});
afterEach(() => void bench.seen.splice(0));
afterAll(() => bench.close());

function answering(value: unknown, status = 200): RequestListener {
  return (_request, response) => response.writeHead(status).end(JSON.stringify(value));
}

const search = (provider: SearchProvider, args: Record<string, unknown> = { query: "x" }) =>
  callOnce(bench, webSearchTool({ providers: [provider] }), args);

describe("each provider is called as its documentation says, and its response is read", () => {
  const found = [{ title: "Cod & chips", url: "https://fish.example/cod", snippet: "Fresh cod." }];

  test("[C51] Brave", async () => {
    answer = answering({
      type: "search",
      web: {
        type: "search",
        results: [
          {
            title: "Cod &amp; chips",
            url: "https://fish.example/cod",
            description: "Fresh <strong>cod</strong>.",
          },
        ],
      },
    });
    const provider = braveSearch({ url: `${bench.origin}/res/v1/web/search`, key: KEY });
    const result = await search(provider, { query: "cod & chips", max_results: 3 });
    expect(result.data).toEqual({ results: found });
    expect(bench.seen[0]).toMatchObject({ method: "GET", headers: { "x-subscription-token": KEY } });
    const { searchParams, pathname } = new URL(bench.seen[0]?.url ?? "", bench.origin);
    expect(pathname).toBe("/res/v1/web/search");
    expect(searchParams.get("q")).toBe("cod & chips");
    expect(searchParams.get("count")).toBe("3");
  });

  test("Tavily", async () => {
    answer = answering({
      query: "cod",
      results: [
        { title: "Cod & chips", url: "https://fish.example/cod", content: "Fresh\n cod.", score: 0.9 },
      ],
      response_time: 1.1,
    });
    const result = await search(tavilySearch({ url: `${bench.origin}/search`, key: KEY }), { query: "cod" });
    expect(result.data).toEqual({ results: found });
    expect(bench.seen[0]).toMatchObject({ method: "POST", headers: { authorization: `Bearer ${KEY}` } });
    expect(JSON.parse(bench.seen[0]?.body ?? "")).toEqual({ query: "cod", max_results: 10 });
  });

  test("Exa", async () => {
    answer = answering({
      requestId: "r",
      results: [
        { id: "1", title: "Cod & chips", url: "https://fish.example/cod", text: "Fresh cod." },
        { id: "2", title: null, url: "https://fish.example/eel" },
      ],
    });
    const result = await search(exaSearch({ url: `${bench.origin}/search`, key: KEY }), { query: "cod" });
    const eel = { title: "https://fish.example/eel", url: "https://fish.example/eel", snippet: "" };
    expect(result.data).toEqual({ results: [...found, eel] });
    expect(bench.seen[0]).toMatchObject({ method: "POST", headers: { "x-api-key": KEY } });
    expect(JSON.parse(bench.seen[0]?.body ?? "")).toMatchObject({ query: "cod", numResults: 10 });
  });

  test("Google Custom Search", async () => {
    answer = answering({
      kind: "customsearch#search",
      items: [
        {
          kind: "customsearch#result",
          title: "Cod & chips",
          link: "https://fish.example/cod",
          snippet: "Fresh cod.",
        },
      ],
    });
    const provider = googleSearch({ url: `${bench.origin}/customsearch/v1`, engine: "cx1", key: KEY });
    const result = await search(provider, { query: "cod", max_results: 20 });
    expect(result.data).toEqual({ results: found });
    const { searchParams } = new URL(bench.seen[0]?.url ?? "", bench.origin);
    expect(Object.fromEntries(searchParams)).toEqual({ key: KEY, cx: "cx1", q: "cod", num: "10" });
  });

  test("SearXNG, which needs no key", async () => {
    answer = answering({
      query: "cod",
      results: [
        { title: "Cod & chips", url: "https://fish.example/cod", content: "Fresh cod.", engine: "x" },
      ],
      infoboxes: [],
    });
    const result = await search(searxngSearch({ url: `${bench.origin}/search` }), { query: "cod" });
    expect(result.data).toEqual({ results: found });
    expect(bench.seen[0]?.url).toBe("/search?q=cod&format=json");
  });
});

describe("results are untrusted", () => {
  const from = (results: unknown) => {
    answer = answering({ results });
    return search(searxngSearch({ url: `${bench.origin}/search` }), { query: "x", max_results: 2 });
  };

  test("they are labelled so, and at most the requested number is returned", async () => {
    const result = await from(
      [1, 2, 3].map((n) => ({ title: `${n}`, url: `https://a.example/${n}`, content: "" })),
    );
    expect(result.labels).toContain("untrusted");
    expect((result.data as { results: unknown[] }).results).toHaveLength(2);
  });

  test("invalid results, and addresses outside the web, are omitted", async () => {
    const broken = [
      null,
      7,
      { title: "no address" },
      { title: "x", url: "javascript:alert(1)" },
      { title: "x", url: "file:///etc/passwd" },
    ];
    const result = await from([...broken, { title: { deep: 1 }, url: "https://a.example/", content: ["x"] }]);
    expect(result.data).toEqual({
      results: [{ title: "https://a.example/", url: "https://a.example/", snippet: "" }],
    });
  });

  test("texts are one short line each", async () => {
    const result = await from([
      { title: `a\n\u0007# b ${"x".repeat(9_000)}`, url: "https://a.example/", content: "y".repeat(9_000) },
    ]);
    const [first] = (result.data as { results: { title: string; snippet: string }[] }).results;
    expect(first?.title).toMatch(/^a # b x+…$/);
    expect(first?.title).toHaveLength(300);
    expect(first?.snippet).toHaveLength(1_000);
  });

  test("a key that the provider repeats is not passed on, in any encoding", async () => {
    const key = "s3cret/k+y";
    const escaped = [...key]
      .map((letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`)
      .join("");
    const url = `https://a.example/?key=${encodeURIComponent(key)}`;
    const body = `{"results":[{"title":"for ${key}","url":"${url}","content":"and ${escaped}."}]}`;
    answer = (_request, response) => response.end(body);
    const result = await search(tavilySearch({ url: `${bench.origin}/search`, key }));
    expect(JSON.stringify(result)).not.toContain("s3cret");
    expect(result.data).toMatchObject({ results: [{ title: "for [key]", snippet: "and [key]." }] });
  });

  test.each([{}, [], "text", null, { results: "none" }])(
    "a response such as %j has no results",
    async (value) => {
      answer = answering(value);
      expect((await search(searxngSearch({ url: `${bench.origin}/search` }))).data).toEqual({ results: [] });
    },
  );
});

test("web_search satisfies the tool contract, and a provider without a URL is an error of the host application", async () => {
  const tool = webSearchTool({ providers: [braveSearch({ key: KEY }), tavilySearch()] });
  expect(createRegistry().register(tool)).toBeUndefined();
  const errors = await toolConformance(tool, {
    examples: [{ query: "x" }, { query: "x", max_results: 20 }],
    refuses: [{}, { query: "" }, { query: "x", max_results: 0 }, { query: "x", count: 3 }],
  });
  expect(errors).toEqual([]);
  expect(() => webSearchTool({ providers: [searxngSearch({ url: "ftp://x.test" })] })).toThrow(
    /needs an http or https URL/,
  );
});
