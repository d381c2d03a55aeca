import { request } from "node:http";
import { expect, test } from "vitest";
import { callbackServer } from "./callback-server.ts";

async function status(url: string, init: RequestInit = {}): Promise<number> {
  return (await fetch(url, init)).status;
}

/** `fetch` does not let anybody choose the host. */
function statusAs(host: string, url: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request(url, { headers: { host } }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    })
      .on("error", reject)
      .end();
  });
}

test("only the expected login is accepted, once, and then the server stops listening", async () => {
  const server = await callbackServer([]);
  expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/);
  expect(await status(`${server.url}?state=right&code=early`)).toBe(400);
  const arrived = server.wait("right", 5_000);
  expect(await status(`${server.url}?state=wrong&code=1`)).toBe(400);
  expect(await status(`${server.url}?code=1`)).toBe(400);
  expect(await status(server.url.replace("callback", "other?state=right"))).toBe(400);
  expect(await status(`${server.url}?state=right`, { method: "POST" })).toBe(400);
  expect(await statusAs("evil.example", `${server.url}?state=right&code=1`)).toBe(400);
  expect(await status(`${server.url}?state=right&code=42`)).toBe(200);
  expect((await arrived).get("code")).toBe("42");
  await expect(fetch(server.url)).rejects.toThrow();
});

test("waiting ends when the time limit is reached", async () => {
  const server = await callbackServer([]);
  await expect(server.wait("state", 30)).rejects.toMatchObject({ code: "denied" });
});

test("a port that is taken is passed over", async () => {
  const first = await callbackServer([]);
  const port = Number(new URL(first.url).port);
  const second = await callbackServer([port]);
  expect(second.url).not.toBe(first.url);
  first.close();
  second.close();
});

test("closing rejects a waiting login at once, and leaves nothing that keeps the process alive", async () => {
  const server = await callbackServer([]);
  const waiting = server.wait("state", 60_000);
  server.close();
  await expect(waiting).rejects.toMatchObject({ code: "denied" });
  await expect(fetch(server.url)).rejects.toThrow();
});
