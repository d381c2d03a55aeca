import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { fileKnownServers } from "./file-known-servers.ts";
import { memoryKnownServers } from "./memory-known-servers.ts";

let folder: string;
let file: string;
const known = (fingerprint: string) => ({
  fingerprint,
  at: "2026-01-01T00:00:00.000Z",
  tools: { a: "hash" },
});

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "toolkeep-known-"));
  file = join(folder, "state", "mcp-servers.json");
});

afterEach(() => rm(folder, { recursive: true, force: true }));

test.each(["memory", "file"])("a server is known by who names it and by its name (%s)", async (kind) => {
  const store = kind === "memory" ? memoryKnownServers() : fileKnownServers(file);
  await store.set("/project", "x", known("1"));
  await store.set("", "x", known("2"));
  await store.set("", "__proto__", known("3"));
  expect(await store.get("/project", "x")).toEqual(known("1"));
  expect(await store.get("", "x")).toEqual(known("2"));
  expect(await store.get("", "__proto__")).toEqual(known("3"));
  expect(await store.get("/other", "x")).toBeUndefined();
  await store.delete("", "x");
  expect(await store.get("", "x")).toBeUndefined();
  expect(await store.get("/project", "x")).toEqual(known("1"));
});

test("the file is its owner's alone, and outlives the process", async () => {
  await fileKnownServers(file).set("", "x", known("1"));
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await fileKnownServers(file).get("", "x")).toEqual(known("1"));
});

test("a file that is broken, or that others can write to, counts as empty", async () => {
  const store = fileKnownServers(file);
  await store.set("", "x", known("1"));
  await chmod(file, 0o620);
  expect(await store.get("", "x")).toBeUndefined();
  await chmod(file, 0o600);
  expect(await store.get("", "x")).toEqual(known("1"));
  await writeFile(file, '{"version":1,"owners":{"":{"x":{"fingerprint":1}}}}');
  expect(await store.get("", "x")).toBeUndefined();
  await writeFile(file, "{");
  expect(await store.get("", "x")).toBeUndefined();
  await store.set("", "y", known("2"));
  expect(await store.get("", "y")).toEqual(known("2"));
});

test("processes that write at the same time lose nothing of each other's", async () => {
  const program = `
    import { fileKnownServers } from ${JSON.stringify(join(import.meta.dirname, "file-known-servers.ts"))};
    const [file, who] = process.argv.slice(1);
    const store = fileKnownServers(file);
    for (let n = 0; n < 15; n += 1) await store.set("", who + n, { fingerprint: who, at: "now", tools: {} });
  `;
  const children = ["a", "b", "c"].map((who) =>
    spawn(
      process.execPath,
      ["--conditions=@toolkeep/source", "--input-type=module", "-e", program, file, who],
      { stdio: "inherit" },
    ),
  );
  const codes = await Promise.all(children.map(async (child) => (await once(child, "exit"))[0]));
  expect(codes).toEqual([0, 0, 0]);
  const store = fileKnownServers(file);
  for (const who of ["a", "b", "c"]) {
    for (let n = 0; n < 15; n += 1)
      expect(await store.get("", `${who}${n}`)).toMatchObject({ fingerprint: who });
  }
});

test("a lock that a dead process left behind does not hold for ever", async () => {
  const store = fileKnownServers(file);
  await store.set("", "x", known("1"));
  await writeFile(`${file}.lock`, "");
  const longAgo = new Date(Date.now() - 60_000);
  await utimes(`${file}.lock`, longAgo, longAgo);
  await store.set("", "y", known("2"));
  expect(await store.get("", "y")).toEqual(known("2"));
});
