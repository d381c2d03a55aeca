import { readFileSync } from "node:fs";
import { join } from "node:path";

export interface McpAttack {
  readonly id: string;
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly setup: { readonly note?: string; readonly rules?: readonly string[] };
  readonly must: { readonly decision: string; readonly invariant: string };
}

export type McpCheck = (attack: McpAttack) => Promise<void>;

export function readMcpAttacks(): readonly McpAttack[] {
  const lines = readFileSync(join(import.meta.dirname, "../../attacks/mcp.jsonl"), "utf8")
    .trimEnd()
    .split("\n");
  return lines.map((line) => JSON.parse(line) as McpAttack);
}
