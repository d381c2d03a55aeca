import { chmodSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { temporaryFolder } from "../../../../../tests/temporary-folder.ts";
import { fileTokenStore } from "./file-token-store.ts";

let folder: string;

beforeEach(() => {
  folder = temporaryFolder();
});

const login = (token: string) => ({ tokens: { access_token: token, token_type: "Bearer" } });

test("logins are kept by the address of the server, also when many are kept at once", async () => {
  const path = join(folder, "below", "logins.json");
  const store = fileTokenStore(path);
  // One that knows nothing of the first, as in another process.
  const again = fileTokenStore(path);
  const names = Array.from({ length: 20 }, (_, at) => `https://${at}.example/mcp`);
  await Promise.all(names.map((name, at) => (at % 2 === 0 ? store : again).set(name, login(name))));
  for (const name of names) expect(await again.get(name)).toEqual(login(name));
  await again.delete(names[0] ?? "");
  expect(await store.get(names[0] ?? "")).toBeUndefined();
  expect(await store.get("__proto__")).toBeUndefined();
  expect(readdirSync(join(folder, "below"))).toEqual(["logins.json", "logins.json.lock"]);
});

test("a file that others can read, a link and what is no JSON are not used, and not overwritten", async () => {
  const path = join(folder, "logins.json");
  const store = fileTokenStore(path);
  await store.set("https://a.example/", login("a"));
  chmodSync(path, 0o644);
  await expect(store.get("https://a.example/")).rejects.toMatchObject({ code: "denied" });
  await expect(store.set("https://b.example/", login("b"))).rejects.toThrow("others can read it");
  const link = join(folder, "link.json");
  symlinkSync(path, link);
  await expect(fileTokenStore(link).get("x")).rejects.toThrow("it is a link");
  writeFileSync(join(folder, "broken.json"), "{ secret", { mode: 0o600 });
  const broken = await fileTokenStore(join(folder, "broken.json"))
    .get("x")
    .catch((error: Error) => error.message);
  expect(broken).toContain("not JSON");
  expect(broken).not.toContain("secret");
});
