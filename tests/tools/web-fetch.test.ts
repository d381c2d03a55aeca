import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { createRegistry } from "@toolkeep/core";
import { envelope, modelText } from "@toolkeep/core/formats";
import { toolConformance } from "@toolkeep/core/testing";
import { standardTools } from "@toolkeep/tools";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { webFetchTool } from "../../packages/tools/src/web/web-fetch-tool.ts";
import { callOnce, type WebBench, webBench } from "./web-bench.ts";

const PAGE = `<!doctype html><html><head><title>Fish &amp; chips</title></head><body>
<nav><a href="/all">All pages</a></nav>
<h1>Menu</h1><p>See <a href="today?x=1">today</a>, <a href="/about">about</a> and <a href="javascript:pay()">pay</a>.</p>
<table><tr><th>Dish</th><th>Price</th></tr><tr><td>Cod</td><td>9</td></tr></table>
<pre><code class="language-js">const cod = 9;</code></pre>
<footer>All rights reserved</footer></body></html>`;

const LAUGHS = `<?xml version="1.0"?><!DOCTYPE lolz [<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;">]><lolz>&c;</lolz>`;

const LINES = Array.from({ length: 30_000 }, (_, index) => `line ${index} of the log\n`).join("");

type Answer = readonly [type: string | undefined, body: string | Uint8Array];

const ANSWERS: Readonly<Record<string, Answer>> = {
  "/dir/page.html": ["text/html; charset=utf-8", PAGE],
  "/based": ["text/html", `<base href="/other/"><a href="x">link</a>`],
  "/only-nav": ["text/html", "<nav>Nothing but a menu</nav>"],
  "/data.json": ["application/json", '{"a":[1,2],\n "b":"<p>"}'],
  "/laughs.xml": ["application/xml", LAUGHS],
  "/laughs.xhtml": ["application/xhtml+xml", LAUGHS],
  "/nested": ["text/html", `${"<div>".repeat(100_000)}deep inside${"</div>".repeat(100_000)}`],
  "/log": ["text/plain", LINES],
  "/pairs": ["text/html", `<p>${"𝄞".repeat(40_000)}</p>`],
  "/slow-to-read": ["text/html", `${"<ul><li>".repeat(300)}${"<br>".repeat(1_000_000)}`],
};

let bench: WebBench;

beforeAll(async () => {
  bench = await webBench((request, response) => {
    const path = request.url ?? "";
    const [type, body] = ANSWERS[path] ?? [undefined, ""];
    if (body !== "")
      return void response.writeHead(200, type === undefined ? {} : { "content-type": type }).end(body);
    if (path === "/here") return void response.writeHead(302, { location: "/dir/page.html" }).end();
    if (path === "/there")
      return void response.writeHead(302, { location: `${bench.elsewhere}/dir/page.html` }).end();
    if (path === "/bomb")
      return void response
        .writeHead(200, { "content-encoding": "gzip", "content-type": "text/html" })
        .end(gzipSync(Buffer.alloc(50_000_000, "<p>")));
    if (path === "/slow") {
      response.writeHead(200, { "content-type": "text/plain" }).write("a");
      const timer = setInterval(() => response.write("a"), 50);
      return void response.on("close", () => clearInterval(timer));
    }
    response.writeHead(404, { "content-type": "text/html" }).end("<h1>No such page</h1>");
  });
});
afterAll(() => bench.close());

const get = (path: string, more: Record<string, unknown> = {}) =>
  callOnce(bench, webFetchTool(), { url: bench.origin + path, ...more });

describe("a page", () => {
  test("[C70] is returned as Markdown with its URL, its title and absolute links, labelled untrusted", async () => {
    const result = await get("/dir/page.html");
    expect(result.labels).toContain("untrusted");
    expect(result.data).toMatchObject({
      url: `${bench.origin}/dir/page.html`,
      status: 200,
      content_type: "text/html; charset=utf-8",
      title: "Fish & chips",
    });
    const { output } = result.data as { output: string };
    expect(output).toMatch(/^# Menu/);
    expect(output).toContain(`[today](${bench.origin}/dir/today?x=1)`);
    expect(output).toContain(`[about](${bench.origin}/about)`);
    expect(output).toContain("| Cod | 9 |");
    expect(output).toContain("```js\nconst cod = 9;\n```");
    expect(output).not.toMatch(/All pages|All rights|javascript:/);
  });

  test("can be requested as plain text, or as its source", async () => {
    const text = (await get("/dir/page.html", { format: "text" })).data as { output: string };
    expect(text.output).toContain("See today, about and pay.");
    expect(text.output).not.toContain("](");
    const source = (await get("/dir/page.html", { format: "html" })).data as { output: string };
    expect(source.output).toBe(PAGE);
  });

  test("resolves links against the base that it declares", async () => {
    expect((await get("/based")).data).toMatchObject({ output: `[link](${bench.origin}/other/x)` });
  });

  test("that consists of a menu is still shown", async () => {
    expect((await get("/only-nav")).data).toMatchObject({ output: "Nothing but a menu" });
  });

  test("that does not exist has its status as data, and is not a failure", async () => {
    const result = await get("/missing");
    expect(result.ok).toBe(true);
    expect(result.data).toMatchObject({ status: 404, output: "# No such page" });
  });

  test("of 100,000 nested elements takes little CPU time (NL006)", async () => {
    const started = process.cpuUsage();
    const result = await get("/nested");
    const { user, system } = process.cpuUsage(started);
    expect(result.data).toMatchObject({ output: "deep inside" });
    // In time that grows with the square of the depth it would take minutes.
    expect((user + system) / 1_000).toBeLessThan(15_000);
  });

  test("keeps surrogate pairs whole, wherever the stream is cut", async () => {
    const { output } = (await get("/pairs")).data as { output: string };
    expect(output === "𝄞".repeat(40_000)).toBe(true);
  });

  test("that is slow to convert does not block the event loop, and is stopped", async () => {
    let ticks = 0;
    const timer = setInterval(() => ticks++, 20);
    const result = await get("/slow-to-read");
    clearInterval(timer);
    expect(result.ok ? "converted" : result.failure?.code).toMatch(/converted|too_large/);
    // A converter that blocked this thread would let no timer run.
    expect(ticks).toBeGreaterThan(2);
    expect(result.durationMs).toBeLessThan(90_000);
  });
});

describe("other content", () => {
  test("JSON is returned unchanged", async () => {
    expect((await get("/data.json")).data).toMatchObject({ output: ANSWERS["/data.json"]?.[1] });
  });

  test("XML entities are not expanded (NL007)", async () => {
    expect((await get("/laughs.xml")).data).toMatchObject({ output: LAUGHS });
    const { output } = (await get("/laughs.xhtml")).data as { output: string };
    expect(output.length).toBeLessThan(LAUGHS.length);
    expect(output).not.toContain("lollol");
  });

  test("[C110] text above 200 KB is cut, and the result names where the whole is", async () => {
    await using session = await bench.session(standardTools());
    const result = await session.call({
      id: "c1",
      name: "web_fetch",
      arguments: { url: `${bench.origin}/log` },
    });
    const { output: head } = result.data as { output: string };
    expect(Buffer.byteLength(head)).toBeLessThanOrEqual(200 * 1_024);
    expect(Buffer.byteLength(head)).toBeGreaterThan(199 * 1_024);
    expect(LINES.startsWith(head)).toBe(true);
    const { metadata } = envelope.result(result);
    expect(metadata.truncated).toBe(true);
    expect(readFileSync(metadata.output_path ?? "", "utf8")).toBe(LINES);
    expect(modelText(result)).toContain(metadata.output_path);
  });
});

describe("the request", () => {
  test("a redirect within the host is followed, and the result has the final URL", async () => {
    expect((await get("/here")).data).toMatchObject({ url: `${bench.origin}/dir/page.html`, status: 200 });
  });

  test("a redirect to another host is refused with its name, and that host is not reached", async () => {
    const before = bench.seen.length;
    const result = await get("/there");
    expect(result.failure?.code).toBe("out_of_scope");
    expect(modelText(result)).toContain("one.test redirects to another host, two.test.");
    expect(modelText(result)).toContain("call web_fetch with a URL on two.test");
    expect(bench.seen.slice(before).map(({ headers }) => headers.host?.split(":")[0])).toEqual(["one.test"]);
  });

  test("a body that decompresses beyond the limit is refused", async () => {
    expect((await get("/bomb")).failure).toMatchObject({ code: "too_large" });
  });

  test("a body that never ends is stopped at the timeout", async () => {
    const tool = webFetchTool({ timeoutMs: 400 });
    const result = await callOnce(bench, tool, { url: `${bench.origin}/slow` });
    expect(result.failure?.code).toBe("timed_out");
    expect(result.durationMs).toBeLessThan(25_000);
  });

  test("a cancelled call ends", async () => {
    await using session = await bench.session([webFetchTool()]);
    setTimeout(() => session.cancel(), 200);
    const result = await session.call({
      id: "c1",
      name: "web_fetch",
      arguments: { url: `${bench.origin}/slow` },
    });
    expect(result.failure?.code).toBe("cancelled");
    expect(result.durationMs).toBeLessThan(25_000);
  });

  test.each([
    "file:///etc/passwd",
    "ftp://one.test/x",
    "//one.test/x",
    "http://user:secret@one.test/",
    "http://one.test\\@two.test/",
    "http://one.test/\nx",
    "not an address",
  ])("[C69] %j is refused before an approver is asked", async (url) => {
    const before = bench.seen.length;
    const result = await callOnce(bench, webFetchTool(), { url });
    expect(result.failure).toMatchObject({ code: "effects_failed" });
    expect(result.failure?.message).not.toContain("secret");
    expect(bench.seen.length).toBe(before);
  });

  test("a private address is refused, even if every host is allowed", async () => {
    const before = bench.seen.length;
    const { port } = new URL(bench.origin);
    for (const host of ["127.0.0.1", "localhost", "[::1]", "three.test"])
      expect(
        (await callOnce(bench, webFetchTool(), { url: `http://${host}:${port}/log` })).failure?.code,
      ).toBe("out_of_scope");
    expect(bench.seen.length).toBe(before);
  });

  test("hosts that the host application did not name are refused", async () => {
    const tool = webFetchTool({ hosts: ["*.example.test", "two.test"] });
    expect((await callOnce(bench, tool, { url: bench.origin })).failure?.code).toBe("out_of_scope");
    expect((await callOnce(bench, tool, { url: `${bench.elsewhere}/data.json` })).ok).toBe(true);
  });
});

test("web_fetch satisfies the tool contract", async () => {
  const tool = webFetchTool();
  expect(createRegistry().register(tool)).toBeUndefined();
  const errors = await toolConformance(tool, {
    examples: [{ url: "https://one.test/" }, { url: "https://one.test/", format: "html" }],
    refuses: [{}, { url: "" }, { url: "https://one.test/", format: "pdf" }, { url: "x".repeat(9_000) }],
  });
  expect(errors).toEqual([]);
});
