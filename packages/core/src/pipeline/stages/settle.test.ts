import { expect, test } from "vitest";
import { ALLOW, call, sleep } from "../../../../../tests/scenario.ts";
import { fsRead, fsWrite } from "../../contract/call/effect.ts";
import { toolOutput } from "../../contract/call/result.ts";
import { modelText } from "../../formats/model-text.ts";
import { createSession } from "../../session/create-session.ts";
import { stubTool } from "../../testing/stub-tool.ts";

test("[C109] a large result shows its head, says what is missing and who cut it, and can be read back until the session closes", async () => {
  const lines = Array.from({ length: 20_000 }, (_, index) => `line ${index} of the output`);
  const big = stubTool("big", () => lines.join("\n"));
  const read = stubTool("read", async (args, ctx) => {
    const bytes = await ctx.results.read(String(args["path"]), {
      offset: Number(args["offset"] ?? 0),
      length: 40,
    });
    return new TextDecoder().decode(bytes);
  });
  const session = await createSession({ tools: [big.tool, read.tool], limits: { maxOutputBytes: 1_000 } });
  const result = await session.call(call("big"));
  const head = result.data as string;
  expect(head.length).toBeLessThanOrEqual(1_000);
  expect(head.endsWith("\n")).toBe(true);
  const whole = lines.join("\n").length;
  expect(result.truncation).toMatchObject({
    by: "runtime",
    unit: "bytes",
    kept: head.length,
    lost: whole - head.length,
  });
  const path = result.truncation?.path as string;
  const tail = await session.call(call("read", { path, offset: whole - 20 }, "r"));
  expect(tail.data).toBe(lines.join("\n").slice(-20));
  expect((await session.call(call("read", { path: "memory:other" }, "r2"))).failure?.code).toBe("not_found");
  await session.close();
  await expect(session.call(call("read", { path }, "r3"))).rejects.toMatchObject({ code: "session_closed" });
});

test("structured results are cut between entries and stay valid JSON, with counts", async () => {
  const many = stubTool("many", () => Array.from({ length: 5_000 }, (_, index) => ({ index })), {
    maxOutput: { entries: 10 },
  });
  const deep = stubTool(
    "deep",
    () => ({ name: "x", body: "y".repeat(5_000), list: Array.from({ length: 1_000 }, () => "z") }),
    { maxOutput: { bytes: 600 } },
  );
  const session = await createSession({ tools: [many.tool, deep.tool] });
  const list = await session.call(call("many", {}, "1"));
  expect(list).toMatchObject({
    data: Array.from({ length: 10 }, (_, index) => ({ index })),
    truncation: { unit: "entries", kept: 10, lost: 4_990 },
  });
  const record = await session.call(call("deep", {}, "2"));
  expect(record.data).toMatchObject({
    name: "x",
    body: expect.stringMatching(/^y{200,}$/),
    list: expect.arrayContaining(["z"]),
  });
  expect(record.truncation?.leftOut).toMatchObject({
    "/body": expect.stringMatching(/^\d+ bytes$/),
    "/list": expect.stringMatching(/^\d+ entries$/),
  });
  expect(JSON.stringify(record.data).length).toBeLessThanOrEqual(600);
  expect(modelText(record)).toMatch(/left out \(\d+ entries of \/list, \d+ bytes of \/body\)/);
});

test("data that cannot be cut within its type fails as too large, and the whole can be read back", async () => {
  const ids = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`id-${index}`, index]));
  const wide = stubTool("wide", () => ids, { maxOutput: { bytes: 600 } });
  const read = stubTool("read", async (args, ctx) =>
    new TextDecoder().decode(await ctx.results.read(String(args["path"]))),
  );
  const session = await createSession({ tools: [wide.tool, read.tool] });
  const result = await session.call(call("wide"));
  expect(result).toMatchObject({ ok: false, failure: { code: "too_large" }, labels: ["untrusted"] });
  expect(modelText(result)).toMatch(/^wide ran, and its output of \d+ bytes is larger than the 600 bytes/);
  const whole = await session.call(call("read", { path: result.truncation?.path as string }, "r"));
  expect(JSON.parse(whole.data as string)).toEqual(ids);
});

test("what was cut is still what the output schema says, or fails as too large", async () => {
  const list = { type: "array", items: { type: "string" } } as const;
  const words = () => Array.from({ length: 1_000 }, () => "word");
  const maxOutput = { bytes: 600 };
  const open = stubTool("open", words, { maxOutput, outputSchema: list });
  const exact = stubTool("exact", words, { maxOutput, outputSchema: { ...list, minItems: 1_000 } });
  const session = await createSession({ tools: [open.tool, exact.tool] });
  expect((await session.call(call("open", {}, "1"))).ok).toBe(true);
  expect((await session.call(call("exact", {}, "2"))).failure?.code).toBe("too_large");
});

test("large content does not take the data away", async () => {
  const { tool } = stubTool("page", () =>
    toolOutput({ data: { title: "x" }, content: [{ type: "text", text: "y".repeat(5_000) }] }),
  );
  const session = await createSession({ tools: [tool], limits: { maxOutputBytes: 1_000 } });
  const result = await session.call(call("page"));
  expect(result).toMatchObject({ ok: true, data: { title: "x" }, truncation: { lost: 4_000 } });
});

test("output written while running is bounded, redacted and kept whole in the sidecar", async () => {
  const token = `ghp_${"a1B2".repeat(9)}`;
  const { tool } = stubTool("stream", async (_args, ctx) => {
    for (let index = 0; index < 3_000; index += 1)
      await ctx.output.write(`${index} some text ${index === 1_500 ? token : ""}\n`);
    return { exitCode: 0 };
  });
  const reader = stubTool(
    "reader",
    async (args, ctx) =>
      new TextDecoder().decode(await ctx.results.read(String(args["path"]))).split("\n").length,
  );
  const leak = stubTool("leak", async (args, ctx) =>
    new TextDecoder().decode(await ctx.results.read(String(args["path"]))).includes(token),
  );
  const session = await createSession({
    tools: [tool, reader.tool, leak.tool],
    limits: { maxOutputBytes: 2_000 },
  });
  const result = await session.call(call("stream"));
  expect(result.data).toMatchObject({ exitCode: 0, output: expect.stringMatching(/^0 some text/) });
  const path = result.truncation?.path;
  expect((await session.call(call("reader", { path: path as string }, "2"))).data).toBe(3_001);
  expect((await session.call(call("leak", { path: path as string }, "3"))).data).toBe(false);
  const short = stubTool("short", async (_args, ctx) => ctx.output.write("all of it"));
  const other = await createSession({ tools: [short.tool] });
  expect((await other.call(call("short"))).data).toBe("all of it");
});

test("reads share and writes exclude: same-file writes are serialised in input order", async () => {
  const log: string[] = [];
  const act = (name: string, make: typeof fsRead) =>
    stubTool(
      name,
      async (args) => {
        log.push(`${args["n"]} begins`);
        await sleep(20);
        log.push(`${args["n"]} ends`);
        return args["n"];
      },
      {
        requires: { fs: { read: ["/**"], write: ["/**"] } },
        effects: (args) => [make(String(args["path"]))],
      },
    );
  const session = await createSession({
    tools: [act("read", fsRead).tool, act("write", fsWrite).tool],
    policy: ALLOW,
  });
  await session.run([
    call("write", { n: 1, path: "/a" }, "1"),
    call("write", { n: 2, path: "/a" }, "2"),
    call("read", { n: 3, path: "/a" }, "3"),
    call("read", { n: 4, path: "/a" }, "4"),
    call("write", { n: 5, path: "/b" }, "5"),
  ]);
  const at = (line: string) => log.indexOf(line);
  expect(at("2 begins")).toBeGreaterThan(at("1 ends"));
  expect(at("3 begins")).toBeGreaterThan(at("2 ends"));
  expect(at("4 begins")).toBeLessThan(at("3 ends"));
  expect(at("5 begins")).toBeLessThan(at("1 ends"));
});
