import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ApprovalRequest, createSession, defineTool } from "@toolkeep/core";
import { openSqliteStore } from "@toolkeep/sqlite";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createRedactor } from "../packages/core/src/redaction/redactor.ts";
import { replaceSpans } from "../packages/core/src/redaction/spans.ts";
import { DECLARED, difference, value } from "./redaction/shape.ts";

const numRuns = Number(process.env["TOOLKEEP_RUNS"] ?? 1_500);
const redactor = createRedactor();
redactor.add("declared", DECLARED);

test("a redacted value has the entries, items and nesting of the value itself", () => {
  fc.assert(
    fc.property(value, (raw) => {
      const text = JSON.stringify(raw);
      const shown = redactor.redactJson(text);
      expect(difference(JSON.parse(text), JSON.parse(shown))).toBeUndefined();
      // Requests, results and events are redacted again where they are recorded.
      expect(difference(JSON.parse(shown), JSON.parse(redactor.redactJson(shown)))).toBeUndefined();
    }),
    { numRuns },
  );
});

/** As it was: equal marks are one entry, and a key that is written as several strings is one string. */
function redactedFormerly(raw: unknown): unknown {
  const keys = (text: string) => redactor.find(text).filter(({ mark }) => mark === "[redacted:private-key]");
  const formerly = (inner: unknown): unknown => {
    if (typeof inner === "string") return replaceSpans(inner, redactor.find(inner));
    if (typeof inner !== "object" || inner === null) return inner;
    if (Array.isArray(inner)) return inner.map(formerly);
    const entries = Object.entries(inner).map(([key, field]) => [formerly(key), formerly(field)]);
    return Object.fromEntries(entries) as unknown;
  };
  const text = JSON.stringify(raw);
  try {
    return formerly(JSON.parse(replaceSpans(text, keys(text))));
  } catch {
    return formerly(raw);
  }
}

test("the former redactor loses entries and items of the same values", () => {
  const kinds = new Set<string>();
  for (const raw of fc.sample(value, { numRuns: 5_000, seed: 7 })) {
    const plain: unknown = JSON.parse(JSON.stringify(raw));
    const found = difference(plain, redactedFormerly(plain));
    if (found !== undefined) kinds.add(/(?:entries|items|any more|kind of value)$/.exec(found)?.[0] ?? found);
  }
  expect([...kinds]).toEqual(expect.arrayContaining(["entries", "items"]));
});

test("approver, journal and model get every entry and item of what runs", async () => {
  const ran: unknown[] = [];
  const requests: ApprovalRequest[] = [];
  const echo = defineTool({
    name: "echo",
    description: "Returns what it is given.",
    inputSchema: { type: "object", properties: { given: {} }, required: ["given"] },
    requires: {},
    execute: async ({ given }: { given: unknown }) => {
      ran.push(given);
      return { given };
    },
  });
  const folder = await mkdtemp(join(tmpdir(), "toolkeep-shape-"));
  const store = openSqliteStore({ path: folder });
  const session = await createSession({
    id: "shape",
    store,
    tools: [echo],
    policy: ["ask *"],
    redactor,
    approver: {
      approve: async (request) => {
        requests.push(request);
        return { verdict: "once" };
      },
    },
  });
  // Such a name is refused before anybody is asked.
  const isAccepted = (given: unknown) => !JSON.stringify(given).includes('"__proto__":');
  const values = fc
    .sample(value, { numRuns: 60, seed: 11 })
    .map((raw): unknown => JSON.parse(JSON.stringify(raw)))
    .filter(isAccepted);
  const shown: unknown[] = [];
  for (const [index, given] of values.entries()) {
    const result = await session.call({ id: `c${index}`, name: "echo", arguments: { given } });
    expect(difference(given, (result.data as { given: unknown }).given)).toBeUndefined();
  }
  await session.close();
  for await (const event of store.events("shape")) {
    if (event.type === "approval-request") shown.push((event.request as ApprovalRequest).arguments);
    if (event.type === "call-start") shown.push(event.arguments);
  }
  await store.close();
  await rm(folder, { recursive: true });
  expect(ran).toEqual(values);
  const raw = values.map((given) => ({ given }));
  expect(
    firstDifference(
      raw,
      requests.map((request) => request.arguments),
    ),
  ).toBeUndefined();
  expect(
    firstDifference(
      raw.flatMap((one) => [one, one]),
      shown,
    ),
  ).toBeUndefined();
});

function firstDifference(raw: readonly unknown[], shown: readonly unknown[]): string | undefined {
  return difference(raw, JSON.parse(JSON.stringify(shown)));
}
