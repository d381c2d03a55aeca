import { describe, expect, test } from "vitest";
import type { Content } from "../contract/call/result.ts";
import { boundContent } from "./bound-content.ts";

const image = (mimeType: string, alt?: string): Content => ({
  type: "image",
  data: "",
  mimeType,
  ...(alt === undefined ? {} : { alt }),
});

describe("boundContent", () => {
  test("what fits stays as it is", () => {
    expect(boundContent([{ type: "text", text: "a".repeat(1_000) }], 1_000)).toBeUndefined();
  });

  test("text that does not fit is cut", () => {
    const { content, lost } = boundContent([{ type: "text", text: "a".repeat(1_001) }], 1_000) ?? {};
    expect(content).toEqual([{ type: "text", text: "a".repeat(1_000) }]);
    expect(lost).toBe(1);
  });

  test.each([
    ["many empty texts", Array.from({ length: 100_000 }, (): Content => ({ type: "text", text: "" }))],
    ["many empty pictures", Array.from({ length: 100_000 }, () => image("image/png"))],
    ["a type of any length", [image(`image/png; ${"x".repeat(1_000_000)}`)]],
    ["a description of any length", [image("image/png", "x".repeat(1_000_000))]],
  ])("[second attack 12] %s is no way around the limit", (_, blocks) => {
    const { content = blocks } = boundContent(blocks, 10_000) ?? {};
    expect(JSON.stringify(content).length).toBeLessThan(30_000);
  });
});
