import { readFile } from "node:fs/promises";
import type { JsonSchema } from "@toolkeep/core";
import { expect, test } from "vitest";
import { readText } from "../../packages/openapi/src/document/read-text.ts";
import { documentServer } from "./document-server.ts";
import { openApiBench } from "./open-api-bench.ts";
import { documentPath } from "./real-documents.ts";
import { sampleValue } from "./sample-value.ts";

/** With `TOOLKEEP_RUNS` every operation is called, which takes a minute. */
const EVERY = process.env["TOOLKEEP_RUNS"] === undefined ? 6 : 1;

test("[C114] operations of a real document are called through a session, and are what its server wants", async () => {
  const document = readText(await readFile(documentPath("neon"), "utf8"));
  const server = documentServer(document, "/api/v2");
  const bench = await openApiBench(server.answer);
  const set = await bench.tools(document, { baseUrl: `${bench.origin}/api/v2`, deprecated: true });
  const leftOut = set.diagnostics.flatMap(({ subject }) => subject ?? []);
  await using session = await bench.session(set);
  const tools = set.tools.filter((_, index) => index % EVERY === 0);
  for (const [index, tool] of tools.entries()) {
    const { $defs = {} } = tool.inputSchema as { $defs?: Readonly<Record<string, JsonSchema>> };
    const lookup = (reference: string) => $defs[reference.slice("#/$defs/".length)];
    const args = sampleValue(tool.inputSchema, lookup) as Record<string, unknown>;
    const result = await session.call({ id: `c${index}`, name: tool.name, arguments: args });
    const last = server.served.at(-1);
    const sent = bench.seen.at(-1);
    expect(result, `${tool.name} ${result.failure?.message}`).toMatchObject({
      ok: true,
      data: { status: expect.any(Number) },
    });
    expect(last?.errors, tool.name).toEqual([]);
    expect(server.checkBody(last?.title ?? "", sent?.body ?? ""), tool.name).toEqual([]);
    expect((result.data as { body?: unknown }).body, tool.name).toEqual(last?.answer);
  }
  await bench.close();
  const called = new Set(server.served.map(({ title }) => title));
  const known = server.titles.filter((title) => !leftOut.includes(title));
  expect(set.tools).toHaveLength(known.length);
  expect(known).toEqual(expect.arrayContaining([...called]));
  expect(called.size).toBe(tools.length);
});
