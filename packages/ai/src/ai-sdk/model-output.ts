import type { Content } from "@toolkeep/core";
import { harmlessText } from "@toolkeep/core/internal";
import type { JSONValue, ToolResultPart } from "ai";
import type { SdkTool } from "../foreign/input-shape.ts";

/** What a model is shown of an output, in the format of the SDK. */
export type ModelOutput = ToolResultPart["output"];

export interface ShownCall {
  readonly toolCallId: string;
  readonly input: unknown;
  readonly output: unknown;
}

/**
 * What the model sees of an output: the result of the tool's `toModelOutput`, with hidden characters escaped. If that
 * throws, for example because the output was cut, the output itself is shown.
 */
export async function modelOutputOf(tool: SdkTool, call: ShownCall): Promise<ModelOutput> {
  if (tool.toModelOutput === undefined) return inPlainSight(plain(call.output));
  try {
    return inPlainSight(await tool.toModelOutput(call));
  } catch {
    return inPlainSight(plain(call.output));
  }
}

/** An output with a note for the model next to it. */
export function withNote(shown: ModelOutput, note: string | undefined): ModelOutput {
  if (note === undefined) return shown;
  if (shown.type === "text" || shown.type === "error-text")
    return { ...shown, value: `${shown.value}\n${note}` };
  const text = { type: "text" as const, text: note };
  if (shown.type === "content") return { ...shown, value: [...shown.value, text] };
  if (shown.type !== "json") return shown;
  return { type: "content", value: [{ type: "text", text: JSON.stringify(shown.value) }, text] };
}

/** Converts an output of the SDK to content blocks. A file that is not an image becomes a one-line note. */
export function contentOf(shown: ModelOutput): readonly Content[] {
  switch (shown.type) {
    case "text":
    case "error-text":
      return [{ type: "text", text: shown.value }];
    case "json":
    case "error-json":
      return [{ type: "text", text: JSON.stringify(shown.value) }];
    case "execution-denied":
      return [{ type: "text", text: shown.reason ?? "Denied." }];
    case "content":
      return shown.value.map(blockOf);
    default:
      return [{ type: "text", text: "[an output of an unknown type]" }];
  }
}

type Part = Extract<ModelOutput, { type: "content" }>["value"][number];

function blockOf(part: Part): Content {
  if (part.type === "text") return { type: "text", text: part.text };
  const picture = pictureIn(part);
  return picture ?? { type: "text", text: `[${part.type}]` };
}

function pictureIn(part: Part): Content | undefined {
  if (!("mediaType" in part) || part.mediaType?.startsWith("image/") !== true || !("data" in part))
    return undefined;
  const { data, mediaType } = part;
  const bytes = typeof data === "object" && "type" in data && data.type === "data" ? data.data : data;
  return typeof bytes === "string" ? { type: "image", data: bytes, mimeType: mediaType } : undefined;
}

function plain(output: unknown): ModelOutput {
  if (typeof output === "string") return { type: "text", value: output };
  return { type: "json", value: (output === undefined ? null : output) as JSONValue };
}

/** Escapes hidden characters; JSON that contains any becomes text. */
function inPlainSight(shown: ModelOutput): ModelOutput {
  if (shown.type === "text" || shown.type === "error-text")
    return { ...shown, value: harmlessText(shown.value) };
  if (shown.type === "json" || shown.type === "error-json") {
    const text = JSON.stringify(shown.value) ?? "null";
    const clean = harmlessText(text);
    return clean === text ? shown : { type: shown.type === "json" ? "text" : "error-text", value: clean };
  }
  if (shown.type === "execution-denied" && shown.reason !== undefined)
    return { ...shown, reason: harmlessText(shown.reason) };
  if (shown.type !== "content") return shown;
  return {
    ...shown,
    value: shown.value.map((part) =>
      part.type === "text" ? { ...part, text: harmlessText(part.text) } : part,
    ),
  };
}
