import { expect, expectTypeOf, test, vi } from "vitest";
import { z } from "zod";
import { toolOutput } from "../contract/call/result.ts";
import { defineTool } from "../contract/tool/define-tool.ts";
import { createSession } from "./create-session.ts";

const base = {
  description: "Counts.",
  inputSchema: z.object({}),
  outputSchema: z.object({ n: z.number() }),
  requires: {},
  mode: "read",
} as const;

test("the output schema types what execute returns and what a call gives", async () => {
  // @ts-expect-error: n is a number
  defineTool({ ...base, name: "wrong", execute: () => ({ n: "x" }) });
  // @ts-expect-error: n is missing
  defineTool({ ...base, name: "less", execute: async () => ({}) });
  // @ts-expect-error: the same for toolOutput()
  defineTool({ ...base, name: "more", execute: () => toolOutput({ data: { n: "x" } }) });
  const plain = defineTool({ ...base, name: "plain", execute: () => ({ n: 1 }) });
  const late = defineTool({ ...base, name: "late", execute: async () => toolOutput({ data: { n: 2 } }) });
  const step = defineTool({
    ...base,
    name: "step",
    async *execute() {
      yield { n: 3 };
    },
  });
  await using session = await createSession({ tools: [plain, late, step] });
  for (const [name, n] of [
    ["plain", 1],
    ["late", 2],
    ["step", 3],
  ] as const) {
    const result = await session.call(name, {});
    if (!result.ok) throw new Error(result.failure.message);
    expectTypeOf(result.data).toEqualTypeOf<{ n: number }>();
    expect(result.data.n).toBe(n);
  }
});

test.each([
  ["zod", base.outputSchema, "/n: Invalid input: expected number, received string"],
  [
    "JSON Schema",
    { type: "object", properties: { n: { type: "number" }, m: { default: 1 } }, required: ["n"] } as const,
    '/n: expected number, got a string ("x")',
  ],
])(
  "[C5] data that deviates from the schema is recorded, and given as it is: %s",
  async (_, outputSchema, error) => {
    const tool = defineTool({ ...base, name: "counts", outputSchema, execute: () => ({ n: "x" }) as never });
    await using session = await createSession({ tools: [tool] });
    const result = await session.call("counts", {});
    expect(result).toMatchObject({ ok: true });
    expect(result.data).toEqual({ n: "x" });
    const events = await Array.fromAsync(session.journal.read({ types: ["output-mismatch"] }));
    expect(events).toMatchObject([{ tool: "counts", error }]);
  },
);

test("in development the deviation of a tool is on the console, once", async () => {
  const tool = defineTool({ ...base, name: "counts", execute: () => ({ n: "x" }) as never });
  await using session = await createSession({ id: "s1", tools: [tool] });
  const warned = vi.spyOn(console, "warn").mockImplementation(() => {});
  vi.stubEnv("NODE_ENV", "development");
  try {
    await session.call("counts", {});
    await session.call("counts", {});
    expect(warned.mock.calls).toEqual([
      [
        expect.stringMatching(
          /"counts" does not return what its `outputSchema` says: \/n: .*\nDetails: .*"s1"/s,
        ),
      ],
    ]);
  } finally {
    vi.unstubAllEnvs();
    warned.mockRestore();
  }
});
