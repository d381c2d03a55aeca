import { createAgent } from "@toolkeep/ai";
import { scriptedApprover } from "@toolkeep/core/testing";
import { type McpServersOptions, openMcpServers } from "@toolkeep/mcp";
import { afterEach, beforeEach, expect, test } from "vitest";
import { call, endOf } from "../../packages/ai/src/agent/scripted-agent.test.kit.ts";
import { scriptedModel } from "../../packages/ai/src/ai-sdk/scripted-model.test.kit.ts";
import { stopAll } from "../../packages/mcp/src/connection/http-server.test.kit.ts";
import {
  type OAuthServer,
  oauthServer,
} from "../../packages/mcp/src/connection/oauth/oauth-server.test.kit.ts";

let server: OAuthServer;
beforeEach(async () => {
  server = await oauthServer();
});
afterEach(stopAll);

/** A browser that follows where it is sent. */
const open = async (page: URL) => void (await fetch(page));
const LOGIN = ["register", "authorize", "token authorization_code"];

const connected = (oauth: McpServersOptions["oauth"]) =>
  openMcpServers({ servers: { docs: { url: server.url } }, oauth: { open, ...oauth } });

/** What the model reads of a call of the server, which the session of `approver` makes. */
async function echoed(
  { tools }: Awaited<ReturnType<typeof connected>>,
  approver?: ReturnType<typeof scriptedApprover>,
): Promise<string> {
  const { model, prompts } = scriptedModel([[call("1", "docs_echo", { text: "I am in" })]]);
  const options = { model, tools, policy: ["allow mcp.call"] };
  await using agent = await createAgent(approver === undefined ? options : { ...options, approver });
  expect(await endOf(agent.run("Echo."))).toMatchObject({ reason: "done" });
  const messages = JSON.parse(prompts[1] ?? "[]") as readonly unknown[];
  return JSON.stringify(messages.at(-1));
}

const asking = (answer: string) => scriptedApprover("once", () => [[answer]]);

test("[C80] a server that needs a login at the start asks the approver, and is connected after the answer", async () => {
  const approver = asking("Log in");
  await using servers = await connected({ approver });
  const { host } = new URL(server.url);
  expect(approver.questions).toMatchObject([
    {
      toolName: "docs",
      questions: [
        {
          question: `The MCP server "docs" requires a login at ${host}. Open the page in a browser on this machine?`,
          options: [{ label: "Log in" }, { label: "Decline" }],
        },
      ],
    },
  ]);
  expect(server.log).toEqual(LOGIN);
  expect(await echoed(servers)).toContain("I am in");
});

test("[C80] where the approver declines, no page is opened and the server is refused", async () => {
  await expect(connected({ approver: asking("Decline") })).rejects.toThrow("was not confirmed");
  expect(server.log).toEqual(["register"]);
});

test("[C80] a call that needs a login asks the user of its session, and continues after it", async () => {
  await using servers = await connected({ approver: asking("Log in"), inCalls: true });
  server.forgetRenewals();
  const approver = asking("Log in");
  expect(await echoed(servers, approver)).toContain("I am in");
  expect(approver.questions).toMatchObject([
    { toolName: "docs_echo", callId: "1", questions: [{ header: "Login" }] },
  ]);
  expect(server.log.filter((line) => line === "authorize")).toHaveLength(2);
});

test("[C80] a call whose user declines, or that has no user to ask, is refused and opens nothing", async () => {
  const command = "toolkeep servers login docs";
  const options = { approver: asking("Log in"), inCalls: true, command };
  await using servers = await connected(options);
  server.forgetRenewals();
  expect(await echoed(servers, asking("Decline"))).toContain("was not confirmed");
  const refused = await echoed(servers);
  expect(refused).toContain("requires a login, and no user is available to log in");
  expect(refused).toContain(command);
  expect(server.log.filter((line) => line === "authorize")).toHaveLength(1);
});
