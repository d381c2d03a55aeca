import { DISCOVERY_RULES } from "../contract/tool/discovery-rules.ts";
import type { Tool } from "../contract/tool/tool.ts";
import { toJsonSchema } from "../schema/to-json-schema.ts";

/** A tool's contract as data: what a catalogue or another process may know of it. */
export function describeContract(tool: Tool) {
  return {
    kind: "Tool",
    contractVersion: tool.contractVersion,
    requiredCoreVersion: tool.requiredCoreVersion,
    name: tool.name,
    label: tool.label,
    description: tool.description,
    inputSchema: toJsonSchema(tool.inputSchema),
    ...(tool.outputSchema === undefined ? {} : { outputSchema: toJsonSchema(tool.outputSchema) }),
    ...(tool.configSchema === undefined ? {} : { configSchema: toJsonSchema(tool.configSchema) }),
    stateSlot: tool.stateSlot === undefined ? "none" : { version: tool.stateSlot.version },
    requires: tool.requires,
    mode: tool.mode,
    toolKind: tool.kind,
    executor: tool.executor,
    gated: tool.gated,
    idempotent: tool.idempotent,
    loadedCardinality: "unlimited",
    activeCardinality: "unlimited",
    discoveryRules: DISCOVERY_RULES,
    reloadBehavior: "between-turns",
  } as const;
}
