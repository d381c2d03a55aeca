import type { CallToolResult } from "@modelcontextprotocol/server";
import type { PersonRequest, ToolResult } from "@toolkeep/core";
import { mcp } from "@toolkeep/core/formats";
import { harmlessText } from "@toolkeep/core/internal";

type Block = CallToolResult["content"][number];

const KINDS: ReadonlySet<unknown> = new Set(["text", "image", "audio", "resource", "resource_link"]);
const MOST_LINES = 30;
const LONGEST_LINES = 3_000;

/** A settled call as an MCP client takes it. */
export function settledAnswer(result: ToolResult, hasOutputSchema: boolean): CallToolResult {
  const plain = mcp.result(result);
  const { structuredContent, ...shownAlone } = plain;
  const answer = {
    ...(inPlainSight(
      { ...shownAlone, content: originalContent(result) ?? plain.content },
      harmlessText,
    ) as CallToolResult),
    ...(structuredContent === undefined
      ? {}
      : { structuredContent: inPlainSight(structuredContent, harmlessData) as typeof structuredContent }),
  };
  const isCut = result.truncation?.by === "runtime";
  if (!isCut) return answer;
  // What was cut has another shape than the tool promised.
  const { structuredContent: _cut, ...shown } = answer;
  if (!hasOutputSchema || answer.isError === true) return shown;
  // Clients refuse a result without the promised structure and hide its text. An error they hand on.
  const note = "[It was too large for the promised structure, so its beginning is given as text alone.]";
  return { ...shown, content: [...shown.content, { type: "text", text: note }], isError: true };
}

/** Tells that a person must answer first. No error, unless clients would take it for a broken output. */
export function pendingAnswer(
  pending: { readonly requests: readonly PersonRequest[]; readonly hasBegun: boolean },
  toolName: string,
  hasOutputSchema: boolean,
): CallToolResult {
  const content = [{ type: "text" as const, text: pendingText(pending, toolName) }];
  if (hasOutputSchema) return { content, isError: true };
  const id = pending.requests[0]?.id ?? "";
  return { content, structuredContent: { status: "pending", id }, isError: false };
}

/** What waits, under which id, how it is answered, and what to do then. */
export function pendingText(
  { requests, hasBegun }: { readonly requests: readonly PersonRequest[]; readonly hasBegun: boolean },
  toolName: string,
): string {
  const state = hasBegun ? "It has begun and waits for an answer." : "Nothing was executed.";
  const asked = requests.map((request) =>
    [
      linesOf(request),
      "questions" in request
        ? `Id: ${request.id}`
        : `Id: ${request.id} (a person answers: in the form that this client shows, or in a terminal of their own)`,
    ].join("\n"),
  );
  return [
    `pending: this call waits for a person. ${state}`,
    ...asked,
    `When it is answered, call ${toolName} again with the same arguments: it is then executed once. Do not work around it.`,
  ].join("\n\n");
}

function linesOf(request: PersonRequest): string {
  const lines =
    "questions" in request
      ? request.questions.map(({ question }) => question)
      : request.lines.slice(0, MOST_LINES);
  const text = harmlessText(lines.join("\n"));
  return text.length > LONGEST_LINES ? `${text.slice(0, LONGEST_LINES - 1)}…` : text;
}

/** The blocks as an MCP server sent them, if the result is still whole. */
function originalContent({ ok, truncation, details }: ToolResult): Block[] | undefined {
  if (!ok || truncation !== undefined) return undefined;
  const content = (details as { readonly mcp?: { readonly content?: unknown } } | undefined)?.mcp?.content;
  if (!Array.isArray(content) || content.length === 0) return undefined;
  const blocks = content as Block[];
  return blocks.every(({ type }) => KINDS.has(type)) ? blocks : undefined;
}

/** No text of an answer hides anything, wherever it stands. */
function inPlainSight(value: unknown, clean: (text: string) => string): unknown {
  if (typeof value === "string") return clean(value);
  if (Array.isArray(value)) return value.map((inner) => inPlainSight(inner, clean));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [harmlessText(key), inPlainSight(inner, clean)]),
  );
}

/** Data may need its line ends as they are. */
function harmlessData(text: string): string {
  return text.split("\r").map(harmlessText).join("\r");
}
