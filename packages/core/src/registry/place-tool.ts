import type { RegisteredTool } from "../contract/call.ts";
import { type Origin, originName } from "../contract/origin.ts";
import type { Tool } from "../contract/tool.ts";

/** A tool with where it came from, and the texts that every call of it writes. */
export function place(tool: Tool, origin: Origin): RegisteredTool {
  const from = originName(origin);
  const texts = {
    inEvent: `,"tool":${JSON.stringify(tool.name)},"origin":${JSON.stringify(from)},"allowedBy":`,
    inResult: `,"toolName":${JSON.stringify(tool.name)},"origin":${JSON.stringify(origin)},"ok":true,"data":`,
  };
  return { name: tool.name, tool, origin, originName: from, texts, config: {} };
}

/** Whether something must be read or run before its first call. */
export function needsPreparation(tool: Tool, config: unknown): boolean {
  return (
    config !== undefined ||
    tool.configSchema !== undefined ||
    tool.init !== undefined ||
    tool.activate !== undefined ||
    (tool.requiredCoreVersion !== "*" && tool.requiredCoreVersion !== "")
  );
}
