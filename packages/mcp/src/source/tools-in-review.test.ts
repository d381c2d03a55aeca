import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../tests/temporary-folder.ts";
import { fileAcceptedServers } from "../servers/file-accepted-servers.ts";
import { definitionTexts } from "./definition-texts.ts";
import { sourceStage, until } from "./source-stage.test.kit.ts";

const acceptedFile = () => join(temporaryFolder(), "known.json");

const schema = (description: string) => ({
  type: "object",
  properties: { city: { type: "string", description }, unit: { enum: ["C", "F"] } },
});
const weather = { name: "weather", description: "Says the weather.", inputSchema: schema("Which city.") };
const changed = {
  ...weather,
  inputSchema: schema("Which city, and its mayor."),
  annotations: { readOnlyHint: true },
};

test("a tool that changed is shown with what it says now and what it said, also in a later life", async () => {
  const accepted = fileAcceptedServers(acceptedFile());
  const { source, server, rewrite, again } = sourceStage({ accepted });
  const entry = await server("a", { tools: [weather] });
  await source.add(entry);
  await source.close();
  rewrite("a", { tools: [changed] });
  const later = again();
  await later.source.add(entry);
  const [inReview] = later.source.servers[0]?.inReview ?? [];
  expect(inReview).toMatchObject({ why: "changed", definition: changed, before: weather });
  const { texts, more } = definitionTexts(inReview as NonNullable<typeof inReview>);
  expect(texts.slice(0, 2)).toEqual([
    { path: "annotations.readOnlyHint", text: "true" },
    {
      path: "inputSchema.properties.city.description",
      text: "Which city, and its mayor.",
      before: "Which city.",
    },
  ]);
  expect(texts).toContainEqual({ path: "inputSchema.properties.unit.enum.1", text: "F" });
  expect(more).toBe(0);
});

test("a tool is accepted by what was looked at, never by its name alone", async () => {
  const { source, registry, server, rewrite } = sourceStage();
  await source.add(await server("a", { tools: [weather] }));
  rewrite("a", { tools: [changed] });
  await until(() => source.servers[0]?.inReview.length === 1);
  for (const one of ["weather", { tool: "weather" }, null])
    await expect(source.accept("a", [one] as never)).rejects.toMatchObject({ code: "invalid_option" });
  await source.accept("a", [{ tool: "weather", fingerprint: "another" }]);
  expect(registry.get("a_weather")).toBeUndefined();
  await source.accept("a", source.servers[0]?.inReview);
  expect(registry.get("a_weather")).toBeDefined();
});

test("no text of a definition takes the place of another one's, and all of them are bounded", () => {
  const inputSchema = { type: "object", "a.b": "one", a: { b: "two" }, '["a.b"]': "three" } as const;
  const { texts } = definitionTexts({ definition: { name: "x", inputSchema: inputSchema as never } });
  expect(texts.map(({ text }) => text)).toEqual(["object", "one", "two", "three"]);
  expect(new Set(texts.map(({ path }) => path)).size).toBe(texts.length);
  const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`k${at}`, "v".repeat(100)]));
  const large = definitionTexts({ definition: { name: "x", inputSchema: many as never } });
  expect(large.texts.length + large.more).toBe(5_000);
  expect(JSON.stringify(large).length).toBeLessThan(300_000);
  const long = definitionTexts({
    definition: { name: "x", description: "d".repeat(10 ** 6), inputSchema } as never,
  });
  expect(long.more).toBeGreaterThan(0);
  expect(JSON.stringify(long).length).toBeLessThan(300_000);
});

test("where it cannot be read what was accepted, no server is started and nothing is written over", async () => {
  const file = acceptedFile();
  const { source, server, asked } = sourceStage({ accepted: fileAcceptedServers(file), says: () => true });
  await writeFile(file, "{ broken", { mode: 0o600 });
  await source.add(await server("mine", { tools: [weather] }));
  await source.add(await server("theirs", { tools: [weather] }, { isOfProject: true }));
  expect(source.servers.map(({ status }) => [status.state, status.reason])).toEqual([
    ["awaiting_review", expect.stringContaining("cannot be read")],
    ["awaiting_review", expect.stringContaining("cannot be read")],
  ]);
  expect(asked).toEqual([]);
});

test("two processes that pin at the same time keep both pins: neither removes the other's", async () => {
  const file = acceptedFile();
  const { source, server, again } = sourceStage({ accepted: fileAcceptedServers(file) });
  const entry = await server("a", { tools: [weather] });
  const second = again({ accepted: fileAcceptedServers(file) });
  await Promise.all([source.add(entry), second.source.add(entry)]);
  const other = await server("b", { tools: [{ ...weather, name: "other" }] });
  await Promise.all([source.add(other), second.source.add({ ...entry, name: "c" })]);
  const kept = fileAcceptedServers(file);
  for (const [name, tool] of [
    ["a", "weather"],
    ["b", "other"],
    ["c", "weather"],
  ] as const)
    expect(Object.keys((await kept.get("", name))?.tools ?? {})).toEqual([tool]);
});

test("[reading 1.9] an update that fails in the background is reported, and stops nothing", async () => {
  const notes: string[] = [];
  let isBroken = false;
  const { source, server, rewrite, registry } = sourceStage({ onNote: (note) => notes.push(note) });
  source.watch(() => {
    if (isBroken) throw new Error("the listener throws");
  });
  await source.add(await server("a", { tools: [weather] }));
  isBroken = true;
  rewrite("a", { tools: [weather, { ...weather, name: "climate" }] });
  await until(() => notes.length > 0);
  isBroken = false;
  expect(notes[0]).toMatch(/^The tools of a could not be updated\./);
  expect(registry.get("a_climate")).toBeDefined();
});
