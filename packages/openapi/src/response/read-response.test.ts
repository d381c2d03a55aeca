import { expect, test } from "vitest";
import { readResponse } from "./read-response.ts";

const KEY = "s3cr3t-value-123456";

function answer(text: string, type = "application/json") {
  const body = new Response(text).body as ReadableStream<Uint8Array>;
  return readResponse({ url: "https://one.test/", status: 200, headers: { "content-type": type }, body }, [
    KEY,
  ]);
}

test("JSON is data, without the credentials that it repeats", async () => {
  const { body } = await answer(JSON.stringify({ [KEY]: [KEY, 1, null] }));
  expect(body).toEqual({ "[credential]": ["[credential]", 1, null] });
});

test("[second attack 04] JSON of very many values is text, so that nothing looks at each of them", async () => {
  for (const piece of ['"",', "1,", '{"a":1},', "[]  ,"]) {
    const text = `[${piece.repeat(60_000)}"${KEY}"]`;
    expect((await answer(text)).body).toBe(text.replace(KEY, "[credential]"));
  }
  expect((await answer("[".repeat(100_000))).body).toBe("[".repeat(100_000));
});

test("[second attack 04] text of very many escapes is cut where credentials are no longer looked for", async () => {
  const { body } = await answer(`${"%25".repeat(400_001)}${KEY}`, "text/plain");
  expect(body).toMatch(/too many escapes to be checked for credentials\.\]$/);
  expect(body).not.toContain(KEY);
});
