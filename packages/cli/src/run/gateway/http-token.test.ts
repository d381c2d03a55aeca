import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { temporaryFolder } from "../../../../../tests/temporary-folder.ts";
import { httpToken } from "./http-token.ts";

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

test("a token is created once, and only its owner can read it", async () => {
  const file = join(folder, "state/token");
  const { token } = await httpToken(file);
  expect(token).toMatch(/^[\w-]{43}$/);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(await httpToken(file)).toEqual({ token, file });
});

test("a token that other users can read is not used", async () => {
  const file = join(folder, "token");
  await httpToken(file);
  chmodSync(file, 0o644);
  await expect(httpToken(file)).rejects.toThrow("Other users can read");
});

test("an invalid token is replaced", async () => {
  const file = join(folder, "token");
  writeFileSync(file, "short\n", { mode: 0o600 });
  const { token } = await httpToken(file);
  expect(token).not.toBe("short");
  expect(readFileSync(file, "utf8").trim()).toBe(token);
});

test("processes that start at once get the same token", async () => {
  const file = join(folder, "state/token");
  const made = await Promise.all(Array.from({ length: 16 }, () => httpToken(file)));
  expect(new Set(made.map(({ token }) => token)).size).toBe(1);
  expect(readFileSync(file, "utf8").trim()).toBe(made[0]?.token);
  expect(readdirSync(join(folder, "state"))).toEqual(["token"]);
});
