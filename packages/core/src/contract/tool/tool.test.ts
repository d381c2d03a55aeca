import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as v from "valibot";
import { expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { ToolkeepError } from "../values/error.ts";
import { defineTool } from "./define-tool.ts";
import { isTool } from "./tool.ts";

const SPEC = {
  name: "weather",
  description: "The weather in a city.",
  inputSchema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  requires: { net: { hosts: ["api.weather.example"] } },
  execute: () => "sun",
} as const;

test("[C1] a tool has a name of plain letters that is its identity", () => {
  expect(defineTool(SPEC).name).toBe("weather");
  for (const name of ["", "two words", "a/b", "x".repeat(65)]) {
    expect(() => defineTool({ ...SPEC, name })).toThrow(ToolkeepError);
  }
});

test("[C2] a tool without a description for the model is refused", () => {
  expect(() => defineTool({ ...SPEC, description: " " })).toThrow(/description/);
});

test("[C3] a tool has a label for people, its name unless it says otherwise", () => {
  expect(defineTool(SPEC).label).toBe("weather");
  expect(defineTool({ ...SPEC, label: "Weather" }).label).toBe("Weather");
});

test("[C4] a tool has a schema of its parameters", () => {
  expect(defineTool(SPEC).inputSchema).toEqual(SPEC.inputSchema);
  expect(() => defineTool({ ...SPEC, inputSchema: undefined as never })).toThrow(/inputSchema/);
});

test.each([
  ["string", z.string()],
  ["array", z.array(z.object({}))],
  ["string", type("string")],
])(
  "an input schema that describes no object is refused when the tool is defined: %s",
  (what, inputSchema) => {
    expect(() => defineTool({ ...SPEC, inputSchema })).toThrow(
      `\`inputSchema\` must describe an object, because a model passes arguments by name; it describes: ${what}.`,
    );
  },
);

test("[C6] a tool says at registration what it may need, if only that it cannot tell", () => {
  expect(defineTool(SPEC).requires).toEqual({ net: { hosts: ["api.weather.example"] } });
  expect(defineTool({ ...SPEC, requires: "unknown" }).requires).toBe("unknown");
  expect(() => defineTool({ ...SPEC, requires: undefined as never })).toThrow(/requires/);
});

test("[C15] a mode that is declared wins over the one the name suggests", () => {
  const mode = (name: string, declared?: "local") =>
    defineTool({ ...SPEC, name, ...(declared === undefined ? {} : { mode: declared }) }).mode;
  expect(mode("get_events")).toBe("read");
  expect(mode("update_event")).toBe("safe_write");
  expect(mode("delete_event")).toBe("destructive");
  expect(mode("shell_run")).toBe("local");
  expect(mode("weather")).toBe("external");
  expect(mode("get_events", "local")).toBe("local");
});

test("a tool is a frozen value with every default filled in", () => {
  const tool = defineTool(SPEC);
  expect(isTool(tool)).toBe(true);
  expect(Object.isFrozen(tool)).toBe(true);
  expect(tool).toMatchObject({
    kind: "other",
    gated: true,
    idempotent: false,
    executor: "local",
    contractVersion: "1.0.0",
    requiredCoreVersion: "*",
  });
});

test("[C13] the arguments' types follow from the schema, apart from the context", () => {
  defineTool({
    ...SPEC,
    inputSchema: z.object({ city: z.string(), days: z.number().default(1) }),
    execute(args, ctx) {
      expectTypeOf(args).toEqualTypeOf<{ city: string; days: number }>();
      expectTypeOf(ctx.toolCallId).toBeString();
    },
  });
  defineTool({
    ...SPEC,
    inputSchema: toStandardJsonSchema(v.object({ city: v.string(), days: v.optional(v.number()) })),
    execute: (args) => expectTypeOf(args).toEqualTypeOf<{ city: string; days?: number | undefined }>(),
  });
  defineTool({
    ...SPEC,
    inputSchema: type({ city: "string", "days?": "number" }),
    execute: (args) => expectTypeOf(args).toEqualTypeOf<{ city: string; days?: number }>(),
  });
  defineTool({
    ...SPEC,
    inputSchema: {
      type: "object",
      properties: {
        city: { type: "string" },
        unit: { enum: ["C", "F"] },
        tags: { type: "array", items: { type: "string" } },
        days: { type: ["integer", "null"] },
        limit: { type: "integer", default: 5 },
      },
      required: ["city"],
    },
    effects: (args) => [{ capability: "net.fetch", target: args.city }],
    execute(args) {
      expectTypeOf(args.city).toBeString();
      expectTypeOf(args.unit).toEqualTypeOf<"C" | "F" | undefined>();
      expectTypeOf(args.tags).toEqualTypeOf<string[] | undefined>();
      expectTypeOf(args.days).toEqualTypeOf<number | null | undefined>();
      expectTypeOf(args.limit).toBeNumber();
    },
  });
});

test("configuration and state have the types of their schemas", () => {
  defineTool({
    ...SPEC,
    configSchema: z.object({ key: z.string() }),
    stateSlot: { version: 1, schema: z.object({ seen: z.number() }) },
    execute(_args, ctx) {
      expectTypeOf(ctx.config.key).toBeString();
      expectTypeOf(ctx.config.timeoutMs).toEqualTypeOf<number | undefined>();
      expectTypeOf(ctx.state.get()).toEqualTypeOf<{ seen: number } | undefined>();
    },
  });
});
