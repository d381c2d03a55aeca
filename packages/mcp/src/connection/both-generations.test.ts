import { afterEach, describe, expect, test } from "vitest";
import type { ServerEntry } from "../servers/server-entry.ts";
import { bothGenerations, callText, closeAll, connected, until } from "./connection.test.kit.ts";
import {
  httpEntry,
  modernServer,
  type SessionServer,
  sessionServer,
  stopAll,
} from "./http-server.test.kit.ts";
import type { Connection } from "./news/connection.ts";

afterEach(async () => {
  await closeAll();
  await stopAll();
});

let sessions: SessionServer;
const ways: readonly { way: string; generation: string; entry(): Promise<ServerEntry> }[] = [
  { way: "stdio", generation: "modern", entry: async () => bothGenerations() },
  { way: "stdio, newer revision alone", generation: "modern", entry: async () => bothGenerations("modern") },
  { way: "HTTP", generation: "modern", entry: async () => httpEntry((await modernServer()).url) },
  {
    way: "HTTP with sessions",
    generation: "legacy",
    async entry() {
      sessions = await sessionServer();
      return httpEntry(sessions.url);
    },
  },
];

describe.each(ways)("over $way", ({ generation, entry }) => {
  let connection: Connection;

  test("tools, resources and prompts are reached, and the revision is the newest that both know", async () => {
    connection = await connected(await entry());
    expect(connection.status).toMatchObject({ state: "ready" });
    expect(connection.server).toMatchObject({ generation, name: "both", instructions: "Two tongues." });
    expect((await connection.listTools()).map(({ name }) => name)).toEqual(["echo", "choose", "grow"]);
    expect(await callText(connection, "echo", { text: "hi" })).toBe("hi");
    expect((await connection.listResources()).map(({ uri }) => uri)).toEqual(["note://one"]);
    expect((await connection.readResource("note://one")).contents).toMatchObject([{ text: "a note" }]);
    expect((await connection.listPrompts()).map(({ name }) => name)).toEqual(["greet"]);
    expect((await connection.getPrompt("greet", {})).messages).toHaveLength(1);
    await expect(callText(connection, "echo", { wrong: 1 })).resolves.toContain("text");
  });

  test("what a server wants to know is put to the person, and the answer comes back with its types", async () => {
    connection = await connected(await entry());
    const asked: string[] = [];
    const answered = await callText(
      connection,
      "choose",
      {},
      {
        ask: async (questions) => {
          asked.push(...questions.map(({ question }) => question));
          return [["blue"], []];
        },
      },
    );
    expect(JSON.parse(answered)).toEqual({ colour: "blue", count: 3 });
    expect(asked).toHaveLength(2);
    for (const question of asked) expect(question).toContain('"testing"');
    expect(await callText(connection, "choose")).toBe('"declined"');
  });

  test("a list that changed is told", async () => {
    connection = await connected(await entry());
    const told: string[] = [];
    connection.watch((change) => told.push(change));
    // The server is asked to report changes after it is connected; lists that may have changed until then are told.
    if (generation === "modern") await until(() => told.splice(0).includes("tools"));
    else await until(() => sessions.isStreaming());
    expect(told).not.toContain("tools");
    await callText(connection, "grow");
    await until(() => told.includes("tools"));
  });
});
