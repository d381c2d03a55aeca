import type { ToolResult } from "@toolkeep/core";
import { expect, test } from "vitest";
import { toolResult } from "../source/tool-result.ts";
import { settledAnswer } from "./call-answer.ts";

const TAG = "\u{E0049}\u{202E}";
const HIDDEN = /[\u{E0000}-\u{E007F}\u{202E}]/u;

function answered(more: Partial<ToolResult>) {
  const result = {
    callId: "c",
    toolName: "t",
    ok: true,
    content: [],
    labels: [],
    ...more,
  } as unknown as ToolResult;
  return settledAnswer(result, false);
}

test("[second attack 12] hidden letters are written out wherever they stand in an answer", () => {
  const content = [
    { type: "resource_link", uri: `x://${TAG}`, name: `n${TAG}`, title: `t${TAG}`, mimeType: `m${TAG}` },
    { type: "resource", resource: { uri: `x://${TAG}`, mimeType: `text/plain${TAG}`, text: "ok" } },
    { type: "audio", data: "AAAA", mimeType: `audio/${TAG}` },
    { type: "text", text: `t${TAG}`, _meta: { [`a${TAG}`]: TAG } },
  ];
  const answer = answered({ details: { mcp: { content } }, data: { [`k${TAG}`]: [`v${TAG}`] } });
  expect(answer.content).toHaveLength(4);
  expect(JSON.stringify(answer)).not.toMatch(HIDDEN);
  expect(answer.structuredContent).toEqual({ "k<U+E0049><U+202E>": ["v<U+E0049><U+202E>"] });
});

test("data keeps its line ends", () => {
  expect(answered({ data: { text: "a\r\nb\n" } }).structuredContent).toEqual({ text: "a\r\nb\n" });
});

test("[second attack 12] of very many blocks the first are shown, and how many are not", () => {
  const { content } = toolResult({ content: Array(5_000).fill({ type: "text", text: "" }) }, []);
  expect(content).toHaveLength(1_001);
  expect(content?.at(-1)).toEqual({ type: "text", text: "[4000 more blocks not shown]" });
});
