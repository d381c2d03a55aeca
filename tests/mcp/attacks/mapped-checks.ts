import { expect } from "vitest";
import { asksForSecret } from "../../../packages/mcp/src/connection/elicitation/secret-words.ts";
import type { McpAttack, McpCheck } from "./record.ts";
import { Stage } from "./stage.ts";
import { toldTool } from "./told.ts";

/** A call of a server with an effect map, under the rules of the record: refused, asked about, or run unasked. */
async function mapped({ input, setup, must }: McpAttack): Promise<void> {
  await using stage = new Stage();
  const { server, tool } = input as { readonly server: string; readonly tool: string };
  const source = stage.source({ settings: { [server]: { map: server } } });
  await source.add(stage.entry(server, { tools: [toldTool(tool)] }));
  const args = JSON.parse(JSON.stringify(input["args"]).replaceAll("{W}", stage.workspace)) as object;
  const policy = { rules: [...(setup.rules ?? [])], builtIn: "off" } as const;
  const name = `${server}_${tool}`;
  const { result, asked } = await stage.call({ tool: name, args }, "reject", { policy });
  expect({ ok: result.ok, asked }).toEqual({
    ok: must.decision === "allow",
    asked: must.decision === "ask" ? 1 : 0,
  });
  expect(stage.log(server).includes(`call ${tool}`)).toBe(must.decision === "allow");
}

/** A field of a form, by its name. */
async function field({ input, must }: McpAttack): Promise<void> {
  expect(asksForSecret(String(input["field"]))).toBe(must.decision === "sanitize");
}

/** Checks for records that say all of it themselves, by what they call. */
export const CHECKS_BY_TOOL: Readonly<Record<string, McpCheck>> = {
  "mcp.mapped": mapped,
  "mcp.field": field,
};
