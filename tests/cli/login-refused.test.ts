import { afterEach, expect, test } from "vitest";
import { stopAll } from "../../packages/mcp/src/connection/http-server.test.kit.ts";
import { oauthServer } from "../../packages/mcp/src/connection/oauth/oauth-server.test.kit.ts";
import { acceptServers } from "./accept-servers.ts";
import { type LoginBench, loginBench } from "./login-bench.ts";

let bench: LoginBench;
afterEach(async () => {
  await stopAll();
  bench.remove();
});

test("a login needs a terminal and an accepted server", async () => {
  const server = await oauthServer();
  bench = loginBench(server);
  expect(await bench.run("login", "docs")).toMatchObject({ code: 4, stdout: "" });
  const review = await bench.run("login", "docs", "--yes");
  expect(review).toMatchObject({ code: 4, stdout: "" });
  expect(review.stderr).toContain("toolkeep servers accept docs");
  expect(server.seen).toEqual([]);
});

test("without a login the server is refused, and both the gateway and `servers` say what to run", async () => {
  const server = await oauthServer();
  bench = loginBench(server);
  await acceptServers(bench, ["docs"]);
  expect(await bench.statusOfDocs()).toMatchObject({
    state: "refused",
    reason: expect.stringContaining("toolkeep servers login docs"),
  });
  const { names, stderr } = await bench.served();
  expect(names.filter((name) => name.startsWith("docs_"))).toEqual([]);
  expect(stderr).toContain("toolkeep servers login docs");
  expect(server.log).toEqual([]);
});

test("a login page without https is refused before a browser opens", async () => {
  const server = await oauthServer({ page: "http://login.example/authorize" });
  bench = loginBench(server);
  await acceptServers(bench, ["docs"]);
  const login = await bench.run("login", "docs", "--yes");
  expect(login).toMatchObject({ code: 1, stdout: "" });
  expect(login.stderr).toContain("not https");
  expect(server.log).not.toContain("authorize");
});

test("a local program has no login, and a URL without a login cannot be logged out", async () => {
  bench = loginBench({ url: "http://127.0.0.1:1/mcp" });
  bench.write(".mcp.json", JSON.stringify({ mcpServers: { local: { command: "x" } } }));
  expect(await bench.run("login", "local", "--yes")).toMatchObject({ code: 2, stdout: "" });
  expect(await bench.run("login", "missing", "--yes")).toMatchObject({ code: 2, stdout: "" });
  expect(await bench.run("logout", "https://unknown.example/mcp")).toMatchObject({ code: 1, stdout: "" });
});
