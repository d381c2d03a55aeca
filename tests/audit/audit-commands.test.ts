import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createSession, defineTool } from "@toolkeep/core";
import { openSqliteStore } from "@toolkeep/sqlite";
import { expect, test } from "vitest";
import { bundleSessions } from "../../packages/cli/src/audit/evidence/bundle-sessions.ts";
import { makeCheckpoint } from "../../packages/cli/src/audit/evidence/make-checkpoint.ts";
import { verifyBundle } from "../../packages/cli/src/audit/evidence/verify-outside.ts";
import { verifySessions } from "../../packages/cli/src/audit/evidence/verify-sessions.ts";
import { withStore } from "../../packages/cli/src/project/store/with-store.ts";
import type { Terminal } from "../../packages/cli/src/terminal/terminal.ts";
import { temporaryFolder } from "../temporary-folder.ts";

/** A store with a session for each name, and a terminal that keeps what is shown. */
async function bench(names: readonly string[] = ["s1", "s2"]) {
  const cwd = temporaryFolder();
  const store = join(cwd, "store");
  await add(store, names);
  const shown: unknown[] = [];
  const terminal: Terminal = {
    ...{ json: false, cwd, isInteractive: false, isQuiet: true },
    show: (value) => void shown.push(value),
    note: () => {},
    confirm: async () => true,
  };
  return { cwd, store, terminal, shown };
}

const work = defineTool({
  ...{ name: "work", description: "Works.", inputSchema: { type: "object" }, requires: {}, mode: "read" },
  execute: () => "done",
});

async function add(path: string, names: readonly string[]): Promise<void> {
  await using store = openSqliteStore({ path, durability: "normal" });
  for (const id of names) {
    const session = await createSession({ id, store, tools: [work], policy: { mode: "yolo" } });
    await session.call({ id: crypto.randomUUID(), name: "work", arguments: {} });
    await session.close();
  }
}

function keyIn(cwd: string): string {
  const file = join(cwd, "audit-key");
  execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", file]);
  return file;
}

test("a signed checkpoint in a file: what came later is right, what is gone since is found", async () => {
  const { cwd, store, terminal, shown } = await bench();
  const sign = keyIn(cwd);
  const to = join(cwd, "checkpoints.jsonl");
  const verify = (file = to) =>
    withStore(
      cwd,
      (open) => verifySessions(open, { ids: [], checkpoint: file, key: `${sign}.pub` }, terminal),
      store,
    );
  expect(await makeCheckpoint({ to, sign, store }, terminal)).toBe(0);
  await add(store, ["s1", "s3"]);
  expect(await makeCheckpoint({ to, sign, store }, terminal)).toBe(0);
  expect(shown).toMatchObject(
    [
      { count: 2, previous: null },
      { count: 3, previous: /^[0-9a-f]{64}$/ },
    ].map(asMatch),
  );
  expect(await verify()).toBe(0);
  const lines = readFileSync(to, "utf8").split("\n");
  const other = join(cwd, "other.jsonl");
  for (const text of [
    `${lines[1]}\n`.replace(/"at":"\d{4}/, '"at":"1999'),
    `${lines[1]}\n${lines[0]}\n`,
    `${lines[0]}`,
    "",
  ]) {
    writeFileSync(other, text);
    await expect(verify(other)).rejects.toThrow(/was changed/);
  }
  await using open = openSqliteStore({ path: store });
  await open.forget("s2");
  expect(await verify()).toBe(0);
  rmSync(join(store, "toolkeep.db"));
  for (const end of ["-wal", "-shm"]) rmSync(join(store, `toolkeep.db${end}`), { force: true });
  rmSync(join(store, "heads"), { recursive: true });
  await add(store, ["s1", "s3"]);
  expect(await verify()).toBe(1);
});

test("checkpoints that are made at once follow each other, and a half line is left out", async () => {
  const { cwd, store, terminal } = await bench(["s1"]);
  const to = join(cwd, "checkpoints.jsonl");
  const verify = () =>
    withStore(cwd, (open) => verifySessions(open, { ids: [], checkpoint: to }, terminal), store);
  const made = Array.from({ length: 6 }, () => makeCheckpoint({ to, store }, terminal));
  expect(await Promise.all(made)).toEqual([0, 0, 0, 0, 0, 0]);
  expect(await verify()).toBe(0);
  const lines = readFileSync(to, "utf8").split("\n");
  expect(lines).toHaveLength(7);
  // The machine stopped in the middle of a line, and before the end of one.
  for (const [text, count] of [
    [`${lines.slice(0, 5).join("\n")}\n${lines[5]?.slice(0, 80)}`, 6],
    [lines.slice(0, 6).join("\n"), 7],
    [lines[0]?.slice(0, 80) ?? "", 1],
  ] as const) {
    writeFileSync(to, text);
    await expect(verify()).rejects.toThrow(/was changed/);
    expect(await makeCheckpoint({ to, store }, terminal)).toBe(0);
    expect(readFileSync(to, "utf8").trim().split("\n")).toHaveLength(count);
    expect(await verify()).toBe(0);
  }
  // What is not the beginning of a line at the end of the file is a change.
  writeFileSync(to, `x\n${lines[1]}\n`);
  await expect(makeCheckpoint({ to, store }, terminal)).rejects.toThrow(/was changed/);
});

function asMatch(value: object): object {
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [
      key,
      one instanceof RegExp ? expect.stringMatching(one) : one,
    ]),
  );
}

test("a checkpoint is posted to a server, and a server that refuses it is an error", async () => {
  const { store, terminal } = await bench(["s1"]);
  const bodies: string[] = [];
  let status = 200;
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on("end", () => {
      bodies.push(body);
      response.writeHead(status).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const to = `http://127.0.0.1:${(server.address() as AddressInfo).port}/checkpoints`;
    await makeCheckpoint({ to, store }, terminal);
    await makeCheckpoint({ to, store }, terminal);
    const [first, second] = bodies.map((body) => JSON.parse(body).checkpoint);
    expect([first.previous, second.previous]).toEqual([null, expect.stringMatching(/^[0-9a-f]{64}$/)]);
    status = 500;
    await expect(makeCheckpoint({ to, store }, terminal)).rejects.toThrow(/refused it with the status 500/);
    await expect(makeCheckpoint({ to: "http://192.0.2.1/", store }, terminal)).rejects.toThrow(
      /not an https URL/,
    );
  } finally {
    server.close();
  }
});

test("a checkpoint is committed to a git repository, whose hooks and filters do not run", async () => {
  const { cwd, store, terminal } = await bench(["s1"]);
  const folder = join(cwd, "audit");
  mkdirSync(folder);
  const env = { PATH: process.env["PATH"] ?? "", HOME: cwd, GIT_CONFIG_NOSYSTEM: "1" };
  const git = (...args: readonly string[]) =>
    execFileSync("git", args, { cwd: folder, env, encoding: "utf8" });
  git("init", "-q");
  const ran = join(cwd, "ran");
  for (const hook of ["pre-commit", "post-commit", "reference-transaction"])
    writeFileSync(join(folder, ".git", "hooks", hook), `#!/bin/sh\ntouch ${ran}\n`, { mode: 0o755 });
  git("config", "filter.evil.clean", `touch ${ran}; cat`);
  git("config", "core.fsmonitor", `touch ${ran}`);
  writeFileSync(join(folder, ".gitattributes"), "* filter=evil\n");
  await makeCheckpoint({ to: folder, store }, terminal);
  await makeCheckpoint({ to: folder, store }, terminal);
  expect(existsSync(ran)).toBe(false);
  expect(git("rev-list", "--count", "HEAD").trim()).toBe("2");
  const committed = git("cat-file", "blob", "HEAD:toolkeep-checkpoints.jsonl");
  expect(committed).toBe(readFileSync(join(folder, "toolkeep-checkpoints.jsonl"), "utf8"));
});

test("a bundle is written, signed and verified without the store", async () => {
  const { cwd, store, terminal, shown } = await bench();
  const sign = keyIn(cwd);
  const file = join(cwd, "june.bundle");
  expect(await bundleSessions({ ids: ["s1"], file, sign, store }, terminal)).toBe(0);
  rmSync(store, { recursive: true });
  expect(await verifyBundle({ file, key: `${sign}.pub` }, terminal)).toBe(0);
  expect(shown.at(-1)).toMatchObject({ intact: true, isSigned: true, sessions: [{ sessionId: "s1" }] });
  writeFileSync(file, readFileSync(file, "utf8").replace("work", "wxrk"));
  expect(await verifyBundle({ file, key: `${sign}.pub` }, terminal)).toBe(1);
});
