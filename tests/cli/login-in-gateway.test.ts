import type { ElicitRequest } from "@modelcontextprotocol/client";
import { afterEach, beforeEach, expect, test } from "vitest";
import { stopAll } from "../../packages/mcp/src/connection/http-server.test.kit.ts";
import {
  type OAuthServer,
  oauthServer,
} from "../../packages/mcp/src/connection/oauth/oauth-server.test.kit.ts";
import { acceptServers } from "./accept-servers.ts";
import { OWN_COMMAND } from "./cli-bench.ts";
import { gatewayClient } from "./gateway-client.ts";
import { type LoginBench, loginBench } from "./login-bench.ts";

let server: OAuthServer;
let bench: LoginBench;
beforeEach(async () => {
  server = await oauthServer();
  bench = loginBench(server);
  await acceptServers(bench, ["docs"]);
});
afterEach(async () => {
  await stopAll();
  bench.remove();
});

/** A client of a gateway whose user approves every call and answers a login this way. */
async function served(login: "Log in" | "Decline") {
  const asked: string[] = [];
  const elicit = ({ message, ...params }: ElicitRequest["params"]) => {
    asked.push(message);
    const { properties } = (params as { requestedSchema: { properties: object } }).requestedSchema;
    const content = "decision" in properties ? { decision: "Allow once" } : { answer1: login };
    return { action: "accept" as const, content };
  };
  const [command, ...first] = OWN_COMMAND;
  const gateway = await gatewayClient({
    ...{ command, args: [...first, "gateway"], cwd: bench.project, env: bench.env, elicit },
  });
  const names = async () => (await gateway.client.listTools()).tools.map(({ name }) => name);
  return {
    ...gateway,
    asked,
    names,
    [Symbol.asyncDispose]: () => gateway.client.close(),
  };
}

test("[C80] the client of a gateway is asked to log in to a server, and its tools work from then on", async () => {
  await using gateway = await served("Log in");
  expect(await gateway.names()).toContain("server_login");
  const login = await gateway.call("server_login", { server: "docs" });
  expect(login).toMatchObject({ isError: false, text: expect.stringContaining("is logged in to docs") });
  const { host } = new URL(server.url);
  expect(gateway.asked).toEqual([expect.stringContaining(`"docs" requires a login at ${host}.`)]);
  expect(server.log).toEqual(["register", "authorize", "token authorization_code"]);
  await expect.poll(gateway.names).toContain("docs_echo");
  expect(await gateway.names()).not.toContain("server_login");
  expect(await gateway.call("docs_echo", { text: "I am in" })).toMatchObject({ text: "I am in" });
  // The login is worth nothing any more: the next call asks for another one, and continues after it.
  server.forgetRenewals();
  expect(await gateway.call("docs_echo", { text: "again" })).toMatchObject({ text: "again" });
  expect(gateway.asked.filter((message) => message.includes("requires a login"))).toHaveLength(2);
});

test("[C80] a client whose user declines is told the command, opens nothing, and can ask again", async () => {
  await using gateway = await served("Decline");
  expect(await gateway.call("server_login", { server: "docs" })).toMatchObject({
    isError: true,
    text: expect.stringContaining("toolkeep servers login docs"),
  });
  expect(server.log).not.toContain("authorize");
  expect(await gateway.names()).toContain("server_login");
  expect(await gateway.call("server_login", { server: "other" })).toMatchObject({
    text: expect.stringContaining("These do: docs."),
  });
});
