import type { CallToolResult } from "@modelcontextprotocol/server";
import type { PersonRequest, ToolResult } from "@toolkeep/core";
import { mcp } from "@toolkeep/core/formats";
import { harmlessText } from "@toolkeep/core/internal";
import { isSignedOnly } from "./person-form.ts";

type Block = CallToolResult["content"][number];

const KINDS: ReadonlySet<unknown> = new Set(["text", "image", "audio", "resource", "resource_link"]);
const MOST_LINES = 30;
const LONGEST_LINES = 3_000;

/** A settled call as an MCP result. */
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
  // A shortened result does not have the declared structure.
  const { structuredContent: _cut, ...shown } = answer;
  if (!hasOutputSchema || answer.isError === true) return shown;
  // Clients reject a result without the declared structure and hide its text. They show an error.
  const note = "[The result is too large for the declared structure; its beginning follows as text.]";
  return { ...shown, content: [...shown.content, { type: "text", text: note }], isError: true };
}

/** Reports that an approver must answer first. Not an error, unless clients would treat it as invalid output. */
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

/** What is pending, under which id, how it is answered, and what to do afterwards. */
export function pendingText(
  { requests, hasBegun }: { readonly requests: readonly PersonRequest[]; readonly hasBegun: boolean },
  toolName: string,
): string {
  const state = hasBegun ? "It has started and waits for an answer." : "Nothing was executed.";
  const asked = requests.map((request) =>
    [linesOf(request), `Id: ${request.id}${waysToAnswer(request)}`].join("\n"),
  );
  return [
    `pending: this call waits for approval. ${state}`,
    ...asked,
    `Once it is answered, call ${toolName} again with the same arguments: it is then executed once. Do not work around it.`,
  ].join("\n\n");
}

function waysToAnswer(request: PersonRequest): string {
  if ("questions" in request) return "";
  return isSignedOnly(request)
    ? " (the approvers sign it: toolkeep approvals approve ID --sign)"
    : " (the user answers in the form that this client shows, or in a terminal)";
}

function linesOf(request: PersonRequest): string {
  const lines =
    "questions" in request
      ? request.questions.map(({ question }) => question)
      : request.lines.slice(0, MOST_LINES);
  const text = harmlessText(lines.join("\n"));
  return text.length > LONGEST_LINES ? `${text.slice(0, LONGEST_LINES - 1)}…` : text;
}

/** The blocks as an MCP server sent them, if the result is complete. */
function originalContent({ ok, truncation, details }: ToolResult): Block[] | undefined {
  if (!ok || truncation !== undefined) return undefined;
  const content = (details as { readonly mcp?: { readonly content?: unknown } } | undefined)?.mcp?.content;
  if (!Array.isArray(content) || content.length === 0) return undefined;
  const blocks = content as Block[];
  return blocks.every(({ type }) => KINDS.has(type)) ? blocks : undefined;
}

/** Makes hidden characters visible in every text of an answer. */
function inPlainSight(value: unknown, clean: (text: string) => string): unknown {
  if (typeof value === "string") return clean(value);
  if (Array.isArray(value)) return value.map((inner) => inPlainSight(inner, clean));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [harmlessText(key), inPlainSight(inner, clean)]),
  );
}

/** Data may need its line breaks unchanged. */
function harmlessData(text: string): string {
  return text.split("\r").map(harmlessText).join("\r");
}
