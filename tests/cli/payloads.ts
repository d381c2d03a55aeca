import { readFileSync } from "node:fs";
import type { CliBench } from "./cli-bench.ts";

export type Payload = Readonly<Record<string, unknown>>;

/** The recorded payloads of a client, with the folders of this bench. */
export function payloadsOf(client: string, { project, home }: Pick<CliBench, "project" | "home">) {
  const text = readFileSync(new URL(`payloads/${client}.json`, import.meta.url), "utf8");
  const placed = text.replaceAll("{project}", project).replaceAll("{home}", home);
  return JSON.parse(placed) as Readonly<Record<string, Payload>>;
}

/** The payload with another input. */
export function withInput(payload: Payload, input: Payload): Payload {
  for (const name of ["toolArgs", "args"])
    if (name in payload) return { ...payload, [name]: { ...(payload[name] as Payload), ...input } };
  return { ...payload, tool_input: { ...(payload["tool_input"] as Payload), ...input } };
}
