import { createAgent, govern } from "@toolkeep/ai";
import { createSession, defineTool, memoryStore, type Session } from "@toolkeep/core";
import { modelText } from "@toolkeep/core/formats";
import { standardTools } from "@toolkeep/tools";
import { jsonSchema, tool } from "ai";
import { afterAll, expect, test } from "vitest";
import { call, endOf } from "../../packages/ai/src/agent/scripted-agent.test.kit.ts";
import { request } from "../../packages/ai/src/ai-sdk/governed-chat.test.kit.ts";
import { scriptedModel } from "../../packages/ai/src/ai-sdk/scripted-model.test.kit.ts";
import { openFileBench } from "../tools/file-bench.ts";

const LINES = Array.from({ length: 60_000 }, (_, index) => `line ${index + 1}`).join("\n");
const ONE_LINE = JSON.stringify({ rows: LINES.split("\n") });
const base = { inputSchema: { type: "object" }, requires: {}, mode: "read" } as const;
const big = defineTool({ ...base, name: "big", description: "Lines.", execute: () => LINES });
const long = defineTool({ ...base, name: "long", description: "One line.", execute: () => ONE_LINE });
const BIG = [big, long] as const;

const bench = await openFileBench();
afterAll(() => bench.close());

/** The path and the tools that a note names. */
function noteIn(text: string) {
  const [, path = "", named = ""] =
    /The whole output is at (\S+): use (.+?) with that path\.\]/.exec(text) ?? [];
  return { path, tools: [...named.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name) };
}

/** Does what the note says, with each tool that it names: a line that was cut away is shown. */
async function follow(session: Session, text: string): Promise<readonly string[]> {
  const { path, tools } = noteIn(text);
  for (const name of tools) {
    const args = name === "read" ? { path, byte_offset: LINES.length - 40 } : { path, pattern: "line 59999" };
    const result = await session.call(name, args);
    expect(modelText(result), `${name}: ${modelText(result)}`).toContain("line 59999");
  }
  return tools;
}

const NO_READER = "The rest is kept, but no tool here reads it. Ask for less at a time.]";
const tools = [...standardTools(), ...BIG];

test.each(BIG.map(({ name }) => name))(
  "a note in a session names tools that read and search what was cut, without being asked: %s",
  async (name) => {
    // Nothing allows to read outside of the workspace, and there is no approver.
    await using inFiles = await bench.session({ tools, policy: [] });
    await using inMemory = await createSession({ tools, policy: [] });
    for (const session of [inFiles, inMemory])
      expect(await follow(session, modelText(await session.call(name, {})))).toEqual(["read", "grep"]);
    await using few = await createSession({ tools: [...standardTools({ set: "default" }), ...BIG] });
    expect(await follow(few, modelText(await few.call(name, {})))).toEqual(["read", "search"]);
  },
);

test("a note for an agent names what the agent can do", async () => {
  const { model, prompts } = scriptedModel([[call("1", "big")], "Done."]);
  await using agent = await createAgent({ model, tools, workspace: bench.workspace, policy: [] });
  await endOf(agent.run("Go."));
  expect(
    await follow(agent.session, JSON.parse(`"${prompts[1]?.match(/\[Cut by.*?\]/)?.[0] ?? ""}"`)),
  ).toHaveLength(2);
});

test("where no tool reads what was cut, the note names no path", async () => {
  await using session = await createSession({ tools: BIG });
  expect(modelText(await session.call("big", {}))).toContain(NO_READER);
  const { model, prompts } = scriptedModel([[call("1", "big")], "Done."]);
  await using agent = await createAgent({ model, tools: BIG });
  await endOf(agent.run("Go."));
  expect(prompts[1]).toContain(NO_READER);
  const inputSchema = jsonSchema<object>({ type: "object" });
  const chat = await govern(
    { big: tool({ inputSchema, execute: async () => LINES }) },
    { policy: ["allow big"], tools: { big: {} }, store: memoryStore(), sessionId: "chat" },
  );
  const governed = await request(chat, [[call("c1", "big")], "Done."]);
  expect(governed.prompts[1]).toContain(NO_READER);
  expect(governed.prompts[1]).not.toContain("memory:");
});

test("a search of what was cut shows lines around, counts, and refuses what it cannot do", async () => {
  await using session = await createSession({ tools });
  const { truncation } = await session.call("big", {});
  const grep = async (args: object) =>
    modelText(await session.call("grep", { path: truncation?.path ?? "", ...args }));
  expect(await grep({ pattern: "^LINE 7$", "-i": true, "-B": 1, "-A": 1 })).toMatch(
    /\n6-line 6\n7:line 7\n8-line 8$/,
  );
  expect(await grep({ pattern: "line 5999\\d", output_mode: "count" })).toMatch(/:10$/);
  expect(await grep({ pattern: "nowhere" })).toContain("No matches.");
  expect(await grep({ pattern: "a\\nb", multiline: true })).toContain("Leave `multiline` out");
  expect(await grep({ pattern: "(" })).toContain("The pattern is not understood");
  expect(await grep({ pattern: "x", path: "memory:gone-1" })).toContain("There is no kept result");
});
