import { tool } from "ai";
import { expect, test } from "vitest";
import { z } from "zod";
import { type ModelOutput, modelOutputOf } from "./model-output.ts";

const HIDDEN = "a\u{202E}b";

test.each<ModelOutput>([
  { type: "text", value: HIDDEN },
  { type: "error-text", value: HIDDEN },
  { type: "json", value: { note: HIDDEN } },
  { type: "error-json", value: { note: HIDDEN } },
  { type: "execution-denied", reason: HIDDEN },
  { type: "content", value: [{ type: "text", text: HIDDEN }] },
])("hidden characters in a model output are escaped: $type", async (shown) => {
  const odd = tool({ inputSchema: z.object({}), execute: () => "", toModelOutput: () => shown });
  const clean = await modelOutputOf(odd, { toolCallId: "1", input: {}, output: "" });
  expect(JSON.stringify(clean)).toContain("<U+202E>");
  expect(JSON.stringify(clean)).not.toContain("\u{202E}");
  expect(clean.type.startsWith("error")).toBe(shown.type.startsWith("error"));
});
