import { createMcpHandler } from "@modelcontextprotocol/server";
import { afterEach, expect, test } from "vitest";
import { bothGenerationsServer } from "./both-generations.test.kit.ts";
import { callText, closeAll, connected } from "./connection.test.kit.ts";
import { httpEntry, listening, sessionServer, stopAll, toListener } from "./http-server.test.kit.ts";

afterEach(async () => {
  await closeAll();
  await stopAll();
});

test("404 without a session is an answer: is unknown what was done, so the call is not sent again", async () => {
  let isThere = true;
  const handle = toListener(createMcpHandler(() => bothGenerationsServer()));
  const server = await listening((request, response) => {
    if (isThere) handle(request, response);
    else response.writeHead(404).end();
  });
  const connection = await connected(httpEntry(server.url));
  expect(await callText(connection, "echo", { text: "in" })).toBe("in");
  isThere = false;
  const failure = await callText(connection, "echo", { text: "x" }).catch((error: unknown) => error);
  expect(failure).toMatchObject({ transient: false, message: expect.stringContaining("HTTP status 404") });
});

test("404 for a session that the server has forgotten is none: the call was not taken", async () => {
  const server = await sessionServer();
  const connection = await connected(httpEntry(server.url), { backoffMs: [60_000] });
  server.forget();
  const failure = await callText(connection, "echo", { text: "x" }).catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: "unavailable", transient: true });
});
