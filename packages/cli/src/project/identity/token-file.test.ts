import { chmodSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { temporaryFolder } from "../../../../../tests/temporary-folder.ts";
import { verifiedPrincipal } from "../program-principal.ts";
import { openIssuer, type TestIssuer } from "./issuer.test.kit.ts";

let issuer: TestIssuer;
let folder: string;
let tokenFile: string;
beforeEach(async () => {
  issuer = await openIssuer();
  folder = temporaryFolder();
  tokenFile = join(folder, "token");
});
afterEach(() => issuer.close());

const principal = (more: object = {}) =>
  verifiedPrincipal({ environment: "production", identity: { ...issuer.settings, tokenFile, ...more } });

async function keep(claims: object = {}): Promise<void> {
  writeFileSync(tokenFile, `${await issuer.token({ claims: { sub: "ada", ...claims } })}\n`, { mode: 0o600 });
}

test("the token replaces the user of the operating system as a whole", async () => {
  await keep({ groups: ["finance"], client_id: undefined });
  expect(await principal()).toEqual({ environment: "production", user: "ada", groups: ["finance"] });
});

test("without a token file the user of the operating system remains, whatever else is configured", async () => {
  const found = await verifiedPrincipal({ identity: { ...issuer.settings } });
  expect(found.user).toBe((await import("node:os")).userInfo().username);
});

test("it is verified each time: it may expire, or be replaced", async () => {
  await keep();
  expect(await principal()).toMatchObject({ user: "ada" });
  await keep({ exp: Math.floor(Date.now() / 1_000) - 120 });
  await expect(principal()).rejects.toThrow(/has expired\. Every call is denied until .* log in again/);
  await keep({ sub: "bob" });
  expect(await principal()).toMatchObject({ user: "bob" });
});

test("where it is missing, empty, too large, a folder, or not valid, there is no user", async () => {
  await expect(principal()).rejects.toThrow("there is none");
  for (const text of ["", " \n", "x".repeat(100_000), "not a token"]) {
    writeFileSync(tokenFile, text, { mode: 0o600 });
    await expect(principal()).rejects.toThrow("is not accepted");
  }
  await keep({ aud: "other" });
  await expect(principal()).rejects.toThrow("another audience");
  await expect(principal({ tokenFile: folder })).rejects.toThrow("not a file");
  await expect(principal({ audience: undefined })).rejects.toThrow("no user can be identified");
  const link = join(folder, "link");
  symlinkSync(join(folder, "nothing"), link);
  await expect(principal({ tokenFile: link })).rejects.toThrow("there is none");
});

test("a token that every user can read is not accepted, and it is in no message", async () => {
  await keep();
  chmodSync(tokenFile, 0o644);
  const error = await principal().catch((thrown: Error) => thrown);
  expect(String(error)).toContain("chmod 600");
  expect(String(error)).not.toContain("eyJ");
});

test("while the keys cannot be read, there is no user", async () => {
  await keep();
  issuer.answer("/keys", (res) => res.destroy());
  await expect(principal()).rejects.toThrow("cannot be reached");
});
