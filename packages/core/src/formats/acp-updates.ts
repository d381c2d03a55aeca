import type { Effect } from "../contract/call/effect.ts";
import type { ToolKind } from "../contract/call/mode.ts";
import type { ToolResult } from "../contract/call/result.ts";
import type { SessionEvent } from "../contract/store/event.ts";
import type { RegisteredTool } from "../contract/tool/tool.ts";
import { harmlessText } from "../results/harmless-text.ts";
import { modelContent } from "./model-text.ts";

/** What an editor that speaks ACP is told of a call: the body of a `session/update`. */
export type AcpUpdate = AcpToolCall | AcpToolCallUpdate;

interface AcpToolCall {
  readonly sessionUpdate: "tool_call";
  readonly toolCallId: string;
  readonly title: string;
  readonly kind: ToolKind;
  readonly status: "pending" | "in_progress" | "completed" | "failed";
  readonly rawInput?: unknown;
  readonly locations?: readonly { readonly path: string }[];
  readonly content?: readonly AcpContent[];
}

type AcpToolCallUpdate = Omit<AcpToolCall, "sessionUpdate" | "title" | "kind"> & {
  readonly sessionUpdate: "tool_call_update";
};

interface AcpContent {
  readonly type: "content";
  readonly content:
    | { readonly type: "text"; readonly text: string }
    | { readonly type: "image"; readonly data: string; readonly mimeType: string };
}

/**
 * Turns the events of a session into updates for an ACP editor, one call after the other: each call is announced
 * once, with its kind, and then updated. `find` must know the tools of the session.
 */
export function acpUpdates(
  find: (name: string) => RegisteredTool | undefined,
): (event: SessionEvent) => AcpUpdate | undefined {
  const announced = new Set<string>();
  return (event) => {
    const progress = progressOf(event);
    if (progress === undefined) return undefined;
    const { call, tool, effects, ...rest } = progress;
    const toolCallId = `${event.turn}/${call}`;
    const isKnown = announced.has(toolCallId);
    if (rest.status === "completed" || rest.status === "failed") announced.delete(toolCallId);
    else announced.add(toolCallId);
    if (isKnown) return { sessionUpdate: "tool_call_update", toolCallId, ...rest };
    const registered = find(tool);
    return {
      sessionUpdate: "tool_call",
      toolCallId,
      title: harmlessText(registered?.tool.label ?? tool),
      kind: kindOfCall(registered, effects),
      ...rest,
    };
  };
}

type CallProgress = Pick<AcpToolCall, "status" | "rawInput" | "locations" | "content"> & {
  readonly call: string;
  readonly tool: string;
  readonly effects: readonly Effect[];
};

function progressOf(event: SessionEvent): CallProgress | undefined {
  switch (event.type) {
    case "approval-request": {
      const { callId: call, toolName: tool, effects, arguments: rawInput } = event.request;
      return { call, tool, effects, status: "pending", rawInput, ...locationsOf(effects) };
    }
    case "call-start": {
      const { callId: call, tool, effects } = event;
      return { call, tool, effects, status: "in_progress", ...inputOf(event), ...locationsOf(effects) };
    }
    case "call-refuse": {
      const { callId: call, tool, effects = [] } = event;
      return { call, tool, effects, status: "failed", ...inputOf(event), ...contentOf(event.result.value) };
    }
    case "call-end": {
      const { callId: call, tool, ok } = event;
      const status = ok ? "completed" : "failed";
      return { call, tool, effects: [], status, ...contentOf(event.result.value) };
    }
    default:
      return undefined;
  }
}

/** What a tool does in general, or where it does not say, what this call does. */
function kindOfCall(registered: RegisteredTool | undefined, effects: readonly Effect[]): ToolKind {
  const kind = registered?.tool.kind ?? "other";
  if (kind !== "other") return kind;
  return KINDS.find(([capability]) => effects.some((one) => one.capability === capability))?.[1] ?? "other";
}

/** The most consequential comes first. */
const KINDS: readonly (readonly [string, ToolKind])[] = [
  ["fs.delete", "delete"],
  ["fs.write", "edit"],
  ["shell.run", "execute"],
  ["shell.dynamic", "execute"],
  ["net.fetch", "fetch"],
  ["fs.read", "read"],
];

function inputOf(event: { readonly arguments: { readonly value: unknown } }): Pick<CallProgress, "rawInput"> {
  return { rawInput: event.arguments.value };
}

/** Only whole paths: an editor opens what it is told. */
function locationsOf(effects: readonly Effect[]): Pick<CallProgress, "locations"> {
  const paths = effects
    .filter(({ capability, target }) => capability.startsWith("fs.") && /^\/[^*?{[]*$/.test(target))
    .map(({ target }) => target);
  return paths.length === 0 ? {} : { locations: [...new Set(paths)].map((path) => ({ path })) };
}

function contentOf(result: unknown): Pick<CallProgress, "content"> {
  return {
    content: modelContent(result as ToolResult).map((block) => ({
      type: "content",
      content:
        block.type === "text"
          ? { type: "text", text: block.text }
          : { type: "image", data: block.data, mimeType: block.mimeType },
    })),
  };
}
