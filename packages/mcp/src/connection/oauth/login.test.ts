import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { temporaryFolder } from "../../../../../tests/temporary-folder.ts";
import { connect } from "../connect.ts";
import { callText, closeAll, connected } from "../connection.test.kit.ts";
import { httpEntry, stopAll } from "../http-server.test.kit.ts";
import { fileTokenStore } from "./file-token-store.ts";
import type { OAuthOptions } from "./oauth-options.ts";
import { oauthServer } from "./oauth-server.test.kit.ts";
import { memoryTokenStore } from "./token-store.ts";

let folder: string;

beforeEach(() => {
  folder = temporaryFolder();
});

afterEach(async () => {
  await closeAll();
  await stopAll();
});

/** A person who agrees to everything, with a browser that follows where it is sent. */
function agreeing(opened: string[] = []): OAuthOptions {
  return {
    store: fileTokenStore(join(folder, "logins.json")),
    confirm: async (host, server) => {
      opened.push(`${server} ${host}`);
      return true;
    },
    open: async (page) => {
      const back = (await fetch(page, { redirect: "manual" })).headers.get("location");
      const answer = await fetch(back ?? "");
      opened.push(`${answer.status} ${await answer.text()}`);
    },
  };
}

test("a login goes through the browser once; its tokens are stored for the user alone and reused", async () => {
  const server = await oauthServer();
  const opened: string[] = [];
  const first = await connected(httpEntry(server.url), { oauth: agreeing(opened) });
  expect(first.status).toMatchObject({ state: "ready" });
  expect(await callText(first, "echo", { text: "in" })).toBe("in");
  expect(opened[0]).toBe(`testing 127.0.0.1:${server.port}`);
  expect(opened[1]).toMatch(/^200 .*may close this page/);
  const path = join(folder, "logins.json");
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(Object.keys(JSON.parse(readFileSync(path, "utf8")))).toEqual([server.url]);
  const { confirm: _, ...headless } = agreeing();
  const second = await connected(httpEntry(server.url), { oauth: headless });
  expect(await callText(second, "echo", { text: "too" })).toBe("too");
  expect(server.log).toEqual(["register", "authorize", "token authorization_code"]);
});

test("expired tokens are renewed without asking the user", async () => {
  const server = await oauthServer();
  const connection = await connected(httpEntry(server.url), { oauth: agreeing() });
  server.expire();
  expect(await callText(connection, "echo", { text: "still in" })).toBe("still in");
  expect(server.log.at(-1)).toBe("token refresh_token");
});

test("without a user, the server is refused with the command to run, and nothing is registered", async () => {
  const server = await oauthServer();
  const oauth = { store: memoryTokenStore(), command: "toolkeep mcp login testing" };
  const connection = await connected(httpEntry(server.url), { oauth });
  expect(connection.status).toMatchObject({ state: "refused" });
  expect(connection.status.reason).toContain("Run `toolkeep mcp login testing`");
  expect(server.log).toEqual([]);
});

test("closing does not wait for a person who does not come back", async () => {
  const server = await oauthServer();
  const openMount = Promise.withResolvers<URL>();
  const oauth = { ...agreeing(), open: async (page: URL) => openMount.resolve(page) };
  const connection = connect(httpEntry(server.url), { oauth });
  const back = new URL((await openMount.promise).searchParams.get("redirect_uri") ?? "");
  const begun = performance.now();
  await connection.close();
  expect(performance.now() - begun).toBeLessThan(40_000);
  await expect(fetch(back)).rejects.toThrow();
});

test("requests that are turned away at once share one login", async () => {
  const server = await oauthServer();
  const opened: string[] = [];
  const { store, ...others } = agreeing(opened);
  const connection = await connected(httpEntry(server.url), {
    oauth: { ...others, store: memoryTokenStore() },
  });
  server.forgetRenewals();
  const texts = ["a", "b", "c"].map((text) => callText(connection, "echo", { text }));
  expect(await Promise.all(texts)).toEqual(["a", "b", "c"]);
  expect(server.log.filter((line) => line === "authorize")).toHaveLength(2);
});

test("a person who says no to the host is not sent there", async () => {
  const server = await oauthServer();
  const oauth = { ...agreeing(), confirm: async () => false };
  const connection = await connected(httpEntry(server.url), { oauth });
  expect(connection.status).toMatchObject({
    state: "refused",
    reason: expect.stringContaining("not confirmed"),
  });
  expect(server.log).toEqual(["register"]);
});

test.each([
  "http://x/$(calc)",
  "file:///c:/windows/system32/calc.exe",
  "https://login.example/$(calc)",
  "https://login.example/a'b",
  "javascript:alert(1)",
])("%s is refused as a login page: the user is not asked, and nothing is opened", async (page) => {
  const server = await oauthServer({ page });
  const opened: string[] = [];
  const connection = await connected(httpEntry(server.url), { oauth: agreeing(opened), backoffMs: [60_000] });
  expect(connection.status.state).not.toBe("ready");
  expect(opened).toEqual([]);
});

test("a person who takes a while is waited for, also when the server is met for the first time", async () => {
  const server = await oauthServer();
  const { open = async () => {}, ...others } = agreeing();
  const later = async (page: URL) => void setTimeout(() => void open(page), 300);
  const connection = await connected(httpEntry(server.url), { oauth: { ...others, open: later } });
  expect(connection.status).toMatchObject({ state: "ready" });
});

test("the callback server stops listening when tokens are renewed without a login", async () => {
  const server = await oauthServer();
  const store = memoryTokenStore();
  const connection = await connected(httpEntry(server.url), { oauth: { ...agreeing(), store } });
  const { client } = (await store.get(server.url)) ?? {};
  const back = client !== undefined && "redirect_uris" in client ? client.redirect_uris?.[0] : undefined;
  expect(back).toMatch(/^http:\/\/127\.0\.0\.1:\d+/);
  server.expire();
  expect(await callText(connection, "echo", { text: "renewed" })).toBe("renewed");
  await expect(fetch(String(back))).rejects.toThrow();
});

test("a client that was registered beforehand is shown to its issuer, and to no other", async () => {
  const warned = vi.spyOn(console, "warn");
  const server = await oauthServer();
  const issuer = new URL(server.url).origin;
  const client = { id: "known", secret: "hush", issuer: `${issuer}/` };
  const first = await connected(httpEntry(server.url), {
    oauth: { ...agreeing(), store: memoryTokenStore(), client },
  });
  expect(first.status).toMatchObject({ state: "ready" });
  expect(server.log).toEqual(["authorize", "token authorization_code"]);
  expect(warned).not.toHaveBeenCalled();
  const elsewhere = { ...client, issuer: "https://login.example" };
  const second = await connected(httpEntry(server.url), {
    oauth: { ...agreeing(), store: memoryTokenStore(), client: elsewhere },
  });
  expect(second.status).toMatchObject({ state: "refused", reason: expect.stringContaining("login.example") });
  expect(server.log).toHaveLength(2);
  const { issuer: _, ...unbound } = client;
  expect(() => connect(httpEntry(server.url), { oauth: { ...agreeing(), client: unbound } })).toThrow(
    expect.objectContaining({ code: "invalid_option" }),
  );
});
