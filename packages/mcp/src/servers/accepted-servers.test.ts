import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ToolkeepError } from "@toolkeep/core";
import { beforeEach, expect, test } from "vitest";
import { temporaryFolder } from "../../../../tests/temporary-folder.ts";
import { fileAcceptedServers } from "./file-accepted-servers.ts";
import { memoryAcceptedServers } from "./memory-accepted-servers.ts";
import { LONGEST_PIN_KEY, pinKey } from "./pin-key.ts";

let folder: string;
let file: string;
const accepted = (fingerprint: string) => ({
  fingerprint,
  at: "2026-01-01T00:00:00.000Z",
  tools: { a: "hash" },
});

beforeEach(() => {
  folder = temporaryFolder();
  file = join(folder, "state", "mcp-servers.json");
});

test.each(["memory", "file"])("a server is known by who names it and by its name (%s)", async (kind) => {
  const store = kind === "memory" ? memoryAcceptedServers() : fileAcceptedServers(file);
  await store.set("/project", "x", accepted("1"));
  await store.set("", "x", accepted("2"));
  await store.set("", "__proto__", accepted("3"));
  expect(await store.get("/project", "x")).toEqual(accepted("1"));
  expect(await store.get("", "x")).toEqual(accepted("2"));
  expect(await store.get("", "__proto__")).toEqual(accepted("3"));
  expect(await store.get("/other", "x")).toBeUndefined();
  await store.delete("", "x");
  expect(await store.get("", "x")).toBeUndefined();
  expect(await store.get("/project", "x")).toEqual(accepted("1"));
});

test("the file is its owner's alone, and outlives the process", async () => {
  await fileAcceptedServers(file).set("", "x", accepted("1"));
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await fileAcceptedServers(file).get("", "x")).toEqual(accepted("1"));
});

test("a file that others can write to is not believed, and holds again when they cannot", async () => {
  const store = fileAcceptedServers(file);
  await store.set("", "x", accepted("1"));
  await chmod(file, 0o620);
  await expect(store.get("", "x")).rejects.toThrow("others may write to it");
  await expect(store.delete("", "x")).rejects.toThrow(ToolkeepError);
  await chmod(file, 0o600);
  expect(await store.get("", "x")).toEqual(accepted("1"));
});

test.each([
  ["no JSON", "{"],
  ["other JSON", '{"version":1,"owners":{"":{"x":{"fingerprint":1}}}}'],
  ["another version", '{"version":2,"owners":{}}'],
  ["too large", `${" ".repeat(32_000_001)}`],
])("a file that is %s is neither believed nor written over", async (_what, text) => {
  const store = fileAcceptedServers(file);
  await store.set("", "x", accepted("1"));
  await writeFile(file, text);
  await expect(store.get("", "x")).rejects.toThrow(/cannot be read .* Fix the file, or move it away/);
  await expect(store.set("", "y", accepted("2"))).rejects.toThrow(ToolkeepError);
  await expect(store.update("", "y", () => accepted("2"))).rejects.toThrow(ToolkeepError);
  await expect(store.delete("", "x")).rejects.toThrow(ToolkeepError);
  expect(await readFile(file, "utf8")).toBe(text);
  await rm(file);
  expect(await store.get("", "x")).toBeUndefined();
});

test("no server fills what all of them share", async () => {
  const store = fileAcceptedServers(file);
  await store.set("", "x", accepted("1"));
  const tools = (count: number, key: (index: number) => string, pin = "hash") =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [key(index), pin]));
  for (const much of [
    tools(20_001, String),
    tools(1, () => "n".repeat(1_000)),
    tools(10, String, "p".repeat(1_000_000)),
  ])
    await expect(store.set("", "y", { ...accepted("2"), tools: much })).rejects.toThrow("is too large");
  expect(await store.get("", "x")).toEqual(accepted("1"));
  expect(await store.get("", "y")).toBeUndefined();
});

test("a long name of a tool is remembered by its hash, a short one as it is", () => {
  const [one, other] = [`${"n".repeat(64)}1`, `${"n".repeat(64)}2`];
  expect(pinKey("read_file")).toBe("read_file");
  expect(pinKey(one)).not.toBe(pinKey(other));
  for (const name of [one, "n".repeat(1_000_000), "n".repeat(64)])
    expect(pinKey(name).length).toBeLessThanOrEqual(LONGEST_PIN_KEY);
  // What a hash looks like is too long for a name that is kept as it is.
  expect(pinKey(pinKey(one))).not.toBe(pinKey(one));
});

test.each(["memory", "file"])("what is known is changed from what it is now (%s)", async (kind) => {
  const store = kind === "memory" ? memoryAcceptedServers() : fileAcceptedServers(file);
  expect(await store.update("", "x", () => undefined)).toBeUndefined();
  expect(await store.update("", "x", (now) => now ?? accepted("1"))).toEqual(accepted("1"));
  const more = { ...accepted("1"), tools: { a: "hash", b: "other" } };
  expect(
    await store.update("", "x", (now) => (now === undefined ? now : { ...now, tools: more.tools })),
  ).toEqual(more);
  expect(await store.update("", "x", () => undefined)).toEqual(more);
  expect(await store.get("", "x")).toEqual(more);
});

test("processes that pin tools of one server at the same time lose none", async () => {
  const program = `
    import { fileAcceptedServers } from ${JSON.stringify(join(import.meta.dirname, "file-accepted-servers.ts"))};
    const [file, who] = process.argv.slice(1);
    const store = fileAcceptedServers(file);
    for (let n = 0; n < 15; n += 1)
      await store.update("", "x", (now) => ({ fingerprint: "f", at: "now", tools: { ...now?.tools, [who + n]: who } }));
  `;
  expect(await exitCodes(program, ["a", "b"])).toEqual([0, 0]);
  expect(Object.keys((await fileAcceptedServers(file).get("", "x"))?.tools ?? {})).toHaveLength(30);
});

test("processes that write at the same time lose nothing of each other's", async () => {
  const program = `
    import { fileAcceptedServers } from ${JSON.stringify(join(import.meta.dirname, "file-accepted-servers.ts"))};
    const [file, who] = process.argv.slice(1);
    const store = fileAcceptedServers(file);
    for (let n = 0; n < 15; n += 1) await store.set("", who + n, { fingerprint: who, at: "now", tools: {} });
  `;
  expect(await exitCodes(program, ["a", "b", "c"])).toEqual([0, 0, 0]);
  const store = fileAcceptedServers(file);
  for (const who of ["a", "b", "c"]) {
    for (let n = 0; n < 15; n += 1)
      expect(await store.get("", `${who}${n}`)).toMatchObject({ fingerprint: who });
  }
});

test("a lock that a dead process left behind does not hold for ever", async () => {
  const store = fileAcceptedServers(file);
  await store.set("", "x", accepted("1"));
  await writeFile(`${file}.lock`, "");
  const longAgo = new Date(Date.now() - 60_000);
  await utimes(`${file}.lock`, longAgo, longAgo);
  await store.set("", "y", accepted("2"));
  expect(await store.get("", "y")).toEqual(accepted("2"));
});

/** Runs a program for each of them at once. */
async function exitCodes(program: string, names: readonly string[]): Promise<readonly unknown[]> {
  const children = names.map((who) =>
    spawn(
      process.execPath,
      ["--conditions=@toolkeep/source", "--input-type=module", "-e", program, file, who],
      { stdio: "inherit" },
    ),
  );
  return Promise.all(children.map(async (child) => (await once(child, "exit"))[0]));
}
