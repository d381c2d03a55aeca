import { createSession, registerTool, sharedRegistry } from "@toolkeep/core";
import { z } from "zod";

const inputSchema = z.object({ day: z.string() });

/** With standard decorators: a static method is registered with its class, another one with its instance. */
class Calendar {
  readonly #owner: string;

  constructor(owner: string) {
    this.#owner = owner;
  }

  @registerTool({ description: "Counts events.", inputSchema, requires: {}, mode: "read", gated: false })
  static count_events({ day }: { day: string }): number {
    return day.length;
  }

  @registerTool({ name: "events", description: "Names events.", inputSchema, requires: {}, mode: "read" })
  named({ day }: { day: string }): string {
    return `${this.#owner} on ${day}`;
  }
}

registerTool({
  name: "now",
  description: "Says now.",
  inputSchema,
  requires: {},
  mode: "external",
  execute: ({ day }) => day,
});

const names = () => sharedRegistry.list().map(({ name }) => name);
const before = names();
new Calendar("Ada");
const after = names();
await using session = await createSession({ registry: sharedRegistry, policy: { mode: "yolo" } });
const calls = await Promise.all(
  ["count_events", "events", "now"].map((name) => session.call(name, { day: "friday" })),
);
const modes = sharedRegistry.list().map(({ tool }) => tool.mode);
process.stdout.write(JSON.stringify({ before, after, modes, data: calls.map(({ data }) => data) }));
