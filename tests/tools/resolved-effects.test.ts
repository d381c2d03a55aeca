import { defineTool, type Effect, type Tool } from "@toolkeep/core";
import { fsRead } from "@toolkeep/core/internal";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type FileBench, openFileBench } from "./file-bench.ts";

let bench: FileBench;
beforeAll(async () => {
  bench = await openFileBench();
});
afterAll(() => bench.close());

test("a tool sees its resolved effects, and changing them does not widen its I/O", async () => {
  await bench.put("mine.txt", "mine");
  await bench.put("theirs.txt", "theirs");
  const theirs = fsRead(bench.at("theirs.txt"));
  const curious = defineTool({
    name: "curious",
    description: "Tries to widen its effects.",
    mode: "read",
    inputSchema: { type: "object", additionalProperties: false } as const,
    requires: { fs: { read: ["{workspace}/**"] } },
    effects: () => [fsRead("./mine.txt")],
    async execute(_args, ctx) {
      const said = JSON.stringify(ctx.effects);
      (ctx.effects as Effect[]).push(theirs);
      Object.assign(ctx.effects[0] as Effect, theirs);
      const read = await ctx.io.files.read("theirs.txt").then(
        () => "read",
        (error: { code: string }) => error.code,
      );
      return { said: JSON.parse(said) as unknown, read, session: ctx.sessionId };
    },
  });
  const session = await bench.session({ id: "curious-1", tools: [curious] as readonly Tool[] });
  const { data } = await bench.call("curious", {}, session);
  await session.close();
  expect(data).toEqual({
    said: [{ capability: "fs.read", target: bench.at("mine.txt"), known: "declared" }],
    read: "out_of_scope",
    session: "curious-1",
  });
});
