import type { Agent } from "./options/agent.ts";
import type { AgentEvent } from "./options/agent-event.ts";

/** All events of a run. */
export async function allOf(events: AsyncIterable<AgentEvent>): Promise<readonly AgentEvent[]> {
  const all: AgentEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

/** The last event of a run. */
export async function endOf(events: AsyncIterable<AgentEvent>): Promise<AgentEvent & { type: "end" }> {
  const last = (await allOf(events)).at(-1);
  if (last?.type !== "end") throw new TypeError("The last event is not the end.");
  return last;
}

/** The types of the events that the journal of an agent has. */
export async function recorded(agent: Agent, ...types: readonly string[]): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const { type } of agent.session.journal.read()) if (types.includes(type)) found.push(type);
  return found;
}

/** A call of a scripted model. */
export const call = (id: string, name: string, input: unknown = {}) => ({ id, name, input });
