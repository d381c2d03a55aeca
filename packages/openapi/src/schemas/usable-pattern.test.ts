import { createSession, defineTool } from "@toolkeep/core";
import { expect, test } from "vitest";
import { isUsablePattern } from "./usable-pattern.ts";

test.each([
  "^[a-z0-9-]{1,60}$",
  "^#(?:[0-9a-fA-F]{3}){1,2}$",
  "^(?:[0-9a-f]{4}){200}$",
  "^(?:\\{[0-9a-fA-F]{4}(?:-?[0-9a-fA-F]{4}){7}\\}|[{]x{3}[}])$",
  "a{1000}",
])("%s is taken over, and core's engine takes it", async (pattern) => {
  expect(isUsablePattern(pattern)).toBe(true);
  expect(await isCallable(pattern)).toBe(true);
});

test.each([
  "^([a-z0-9-]{1,60}(,[a-z0-9-]{1,60}){0,99})?$",
  "a{1001}",
  "((a{10}){11}){12}",
  "(?:x{2,}){600}",
  "(?<=x)y",
  "(a)\\1",
  "(unclosed",
  "x".repeat(5_000),
])("%s is left out", (pattern) => {
  expect(isUsablePattern(pattern)).toBe(false);
});

test("core's engine refuses the one that a real document has", async () => {
  expect(await isCallable("^([a-z0-9-]{1,60}(,[a-z0-9-]{1,60}){0,99})?$")).toBe(false);
});

/** Whether a tool with this pattern gets as far as holding its arguments against it. */
async function isCallable(pattern: string): Promise<boolean> {
  const inputSchema = { type: "object", properties: { x: { type: "string", pattern } } } as const;
  const tool = defineTool({
    name: "probe",
    description: "Probes.",
    inputSchema,
    requires: {},
    execute: () => "done",
  });
  await using session = await createSession({ tools: [tool] });
  const { failure } = await session.call({ id: "c1", name: "probe", arguments: { x: "…" } });
  return failure?.code === "invalid_arguments";
}
