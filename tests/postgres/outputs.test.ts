import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { globSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { createSession, type SessionStore, type ToolResult } from "@toolkeep/core";
import { stubTool } from "@toolkeep/core/testing";
import { folderOutputs, type OutputStorage, s3Outputs } from "@toolkeep/postgres/outputs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { FROM_SOURCE } from "../from-source.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { type S3Server, startS3 } from "./s3-server.ts";
import { newSchema } from "./test-schema.ts";
import { KEYS, POSTGRES_URL, testStores } from "./test-stores.ts";

const LINES = Array.from({ length: 20_000 }, (_, line) => `line ${line}`);
const WHOLE = JSON.stringify(LINES);
const SHA256 = createHash("sha256").update(WHOLE).digest("hex");

const report = stubTool("report", () => LINES).tool;
/** Reads what another call left, in two parts. */
const reader = stubTool("reader", async ({ path }, { results }) => {
  const head = await results.read(String(path), { offset: 0, length: 10 });
  const rest = await results.read(String(path), { offset: 10 });
  const text = Buffer.concat([head, rest]).toString();
  return { length: text.length, isWhole: text === WHOLE };
}).tool;

async function keep(store: SessionStore, id: string, callId = "1"): Promise<ToolResult> {
  const session = await createSession({ id, store, tools: [report] });
  const { results } = await session.run([{ id: callId, name: "report", arguments: {} }]);
  await session.leave();
  return results[0] as ToolResult;
}

async function read(store: SessionStore, id: string, path = `sha256:${SHA256}`): Promise<ToolResult> {
  const session = await createSession({ id, store, tools: [reader] });
  const { results } = await session.run([{ id: "r", name: "reader", arguments: { path } }]);
  await session.leave();
  return results[0] as ToolResult;
}

async function close(store: SessionStore, id: string): Promise<void> {
  await (await createSession({ id, store })).close();
}

const filesIn = (folder: string) => globSync("??/*", { cwd: folder }).toSorted();

let s3: S3Server;
beforeAll(async () => {
  s3 = await startS3();
});
afterAll(() => s3[Symbol.asyncDispose]());

describe.each(["a folder", "a bucket"])("outputs in %s", (where) => {
  const storage = (): OutputStorage =>
    where === "a folder"
      ? folderOutputs({ path: temporaryFolder() })
      : s3Outputs({ ...s3.options, prefix: `${newSchema()}/` });

  test("are kept under their hash, as they are", async () => {
    const outputs = storage();
    const bytes = Uint8Array.from({ length: 100_000 }, (_, index) => index % 256);
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    expect(await outputs.has(sha256)).toBe(false);
    expect(await outputs.get(sha256)).toBeUndefined();
    await outputs.put(sha256, bytes);
    await outputs.put(sha256, bytes);
    expect(await outputs.has(sha256)).toBe(true);
    expect(Buffer.compare((await outputs.get(sha256)) ?? bytes.subarray(1), bytes)).toBe(0);
    await outputs.delete(sha256);
    await outputs.delete(sha256);
    expect(await outputs.has(sha256)).toBe(false);
  });

  test.skipIf(POSTGRES_URL === "")("of one process are read by another", async () => {
    const schema = newSchema();
    const secret = Buffer.alloc(32, 9).toString("base64");
    const place =
      where === "a folder" ? { folder: temporaryFolder() } : { s3: { ...s3.options, prefix: `${schema}/` } };
    const program = [...FROM_SOURCE, join(import.meta.dirname, "keep-output.ts")];
    const input = JSON.stringify({ url: POSTGRES_URL, schema, secret, ...place });
    const { stdout } = await promisify(execFile)(process.execPath, [...program, input]);
    const whole = { sha256: SHA256, bytes: WHOLE.length, mediaType: "application/json" };
    expect(JSON.parse(stdout)).toMatchObject({ truncation: { path: `sha256:${SHA256}`, whole } });

    const outputs = place.folder === undefined ? s3Outputs(place.s3) : folderOutputs({ path: place.folder });
    const store = await openStore({ schema, keys: [{ id: "k", secret }], outputs });
    expect((await read(store, "s")).data).toEqual({ length: WHOLE.length, isWhole: true });
    const journal = (await Array.fromAsync(store.export("s"))).join("");
    expect(journal).toContain(JSON.stringify(whole));
    expect(journal).not.toContain("line 19999");
    expect(await store.verify("s")).toMatchObject({ intact: true });
    await close(store, "s");
    expect(await outputs.has(SHA256)).toBe(false);
  });

  const openStore = testStores();
});

describe("a bucket", () => {
  test("refuses a request with a wrong signature, and the error says what it answered", async () => {
    const credentials = { ...s3.options.credentials, secretAccessKey: "wrong" };
    const outputs = s3Outputs({ ...s3.options, credentials });
    await expect(outputs.get(SHA256)).rejects.toThrow("answered 403 (SignatureDoesNotMatch) to GET");
    const unknown = s3Outputs({ ...s3.options, bucket: "another-bucket" });
    await expect(unknown.put(SHA256, Buffer.from(WHOLE))).rejects.toThrow("404 (NoSuchBucket)");
  });

  test("is not asked with options that cannot be meant", () => {
    const outputs = (options: object) => () => s3Outputs({ ...s3.options, ...options });
    expect(outputs({ buckett: "x" })).toThrow('Did you mean "bucket"?');
    expect(outputs({ endpoint: "http://storage.example" })).toThrow("must begin with https://");
    expect(outputs({ bucket: "Not A Bucket" })).toThrow("no name of a bucket");
    expect(outputs({ prefix: "../x/" })).toThrow("`prefix` can have");
    expect(outputs({ region: "" })).toThrow("name the `region`");
  });
});

describe.skipIf(POSTGRES_URL === "")("which session refers to what", () => {
  const openStore = testStores();

  async function openWithFolder() {
    const folder = temporaryFolder();
    const schema = newSchema();
    return { folder, schema, store: await openStore({ schema, outputs: folderOutputs({ path: folder }) }) };
  }

  test("the same output of several sessions is stored once, and goes with the last of them", async () => {
    const { folder, store } = await openWithFolder();
    for (const id of ["a", "b", "c"])
      expect((await keep(store, id)).truncation?.path).toBe(`sha256:${SHA256}`);
    expect(filesIn(folder)).toEqual([`${SHA256.slice(0, 2)}/${SHA256}`]);
    expect(statSync(join(folder, SHA256.slice(0, 2), SHA256)).mode & 0o777).toBe(0o600);
    expect(await store.status()).toMatchObject({ outputs: 1, outputBytes: WHOLE.length, releasedOutputs: 0 });
    await close(store, "a");
    await store.forget("b");
    expect((await read(store, "c")).data).toMatchObject({ isWhole: true });
    expect(await store.sweep({ olderThanMs: -60_000 })).toEqual(["a", "c"]);
    expect(filesIn(folder)).toEqual([]);
    expect(await store.status()).toMatchObject({ outputs: 0, outputBytes: 0, releasedOutputs: 0 });
  });

  test("a session reads no output of another, even if it knows the hash", async () => {
    const { store } = await openWithFolder();
    await keep(store, "a");
    expect((await read(store, "b")).failure).toMatchObject({ code: "not_found" });
    expect((await read(store, "a", `sha256:${"0".repeat(64)}`)).failure).toMatchObject({ code: "not_found" });
  });

  test("erasing a call removes its output, and erasing a session all of them", async () => {
    const { folder, store } = await openWithFolder();
    await keep(store, "a", "one");
    await keep(store, "a", "two");
    await store.erase("a", { callId: "one" });
    expect(filesIn(folder)).toHaveLength(1);
    await store.erase("a");
    expect(filesIn(folder)).toEqual([]);
    expect(await store.verify("a")).toMatchObject({ intact: true });
  });

  test("an output that was changed or is gone is not shown", async () => {
    const { folder, store, schema } = await openWithFolder();
    await keep(store, "a");
    const file = join(folder, SHA256.slice(0, 2), SHA256);
    const bytes = readFileSync(file);
    bytes[100] = (bytes[100] ?? 0) ^ 1;
    writeFileSync(file, bytes);
    const changed = await read(store, "a");
    expect(changed.failure?.message).toContain("was changed where it is kept");
    expect(JSON.stringify(changed)).not.toContain("line 1");
    const elsewhere = await openStore({ schema, outputs: folderOutputs({ path: temporaryFolder() }) });
    expect((await read(elsewhere, "a")).failure).toMatchObject({ code: "unavailable" });
  });

  test("a storage that fails costs the rest of an output, and nothing else", async () => {
    const { folder, schema, store } = await openWithFolder();
    const refuse = () => Promise.reject(new Error("no answer"));
    const broken = await openStore({
      schema,
      outputs: { put: refuse, get: refuse, has: refuse, delete: refuse },
    });
    // What cannot be removed is remembered, and removed later.
    await keep(store, "b");
    await close(broken, "b");
    expect(filesIn(folder)).toHaveLength(1);
    expect(await broken.status()).toMatchObject({ outputs: 0, releasedOutputs: 1 });
    await store.sweep({ olderThanMs: 1e12 });
    expect(filesIn(folder)).toEqual([]);
    expect(await store.status()).toMatchObject({ releasedOutputs: 0 });

    const { ok, truncation } = await keep(broken, "a");
    expect(ok).toBe(true);
    expect(truncation).toMatchObject({ by: "runtime" });
    expect(truncation).not.toHaveProperty("path");
    expect((await read(broken, "a")).failure).toMatchObject({ code: "unavailable" });
  });

  test("an output that is stored again while it is being removed stays", async () => {
    const folder = temporaryFolder();
    const inner = folderOutputs({ path: folder });
    const [removing, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const slow: OutputStorage = {
      ...inner,
      async delete(sha256) {
        removing.resolve();
        await released.promise;
        await inner.delete(sha256);
      },
    };
    const schema = newSchema();
    const [one, other] = [
      await openStore({ schema, outputs: slow }),
      await openStore({ schema, outputs: inner }),
    ];
    await keep(one, "a");
    const closing = close(one, "a");
    await removing.promise;
    const keeping = keep(other, "b");
    // It has written its reference, and waits for the removal.
    await expect.poll(async () => (await one.status()).outputs).toBe(1);
    released.resolve();
    await Promise.all([closing, keeping]);
    expect((await read(other, "b")).data).toMatchObject({ isWhole: true });
    await close(other, "b");
    expect(filesIn(folder)).toEqual([]);
  });

  test("without a storage, large outputs stay in the process", async () => {
    const store = await openStore({ keys: KEYS });
    expect((await keep(store, "a")).truncation?.path).toMatch(/^memory:/);
    expect(await store.status()).toMatchObject({ outputs: 0 });
  });
});
