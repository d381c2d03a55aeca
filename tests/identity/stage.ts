import {
  defineTool,
  memoryStore,
  type Principal,
  type SessionOptions,
  type SessionStore,
  type Tool,
} from "@toolkeep/core";
import { createSessionWithPorts as createSession, effect } from "@toolkeep/core/internal";
import type { JournalEvent } from "@toolkeep/core/journal";
import { openSqliteStore } from "@toolkeep/sqlite";

/** Pays, and says for how much and to whom. */
export function payTool(paid: string[] = []): Tool {
  return defineTool({
    name: "pay",
    description: "Pays.",
    inputSchema: {
      type: "object",
      properties: { amount: { type: "number" }, to: { type: "string" } },
      required: ["amount", "to"],
    },
    requires: { capabilities: ["payments.send"] },
    effects: ({ to, amount }) => [effect("payments.send", `${to} ${amount}`)],
    execute: ({ to, amount }) => {
      paid.push(`${amount} to ${to}`);
      return `paid ${amount} to ${to}`;
    },
  }) as Tool;
}

/** Looks a customer up. */
export function lookTool(): Tool {
  return defineTool({
    name: "look",
    description: "Looks a customer up.",
    mode: "read",
    idempotent: true,
    inputSchema: { type: "object", properties: { id: { type: "string" } }, required: ["id"] },
    requires: { capabilities: ["crm.read"] },
    effects: ({ id }) => [effect("crm.read", String(id))],
    execute: ({ id }) => `customer ${id}`,
  }) as Tool;
}

export const pay = (amount: number, to: string, id = "c1") => ({
  id,
  name: "pay",
  arguments: { amount, to },
});
export const look = (customer: string, id = "c1") => ({ id, name: "look", arguments: { id: customer } });

/** Stores whose sessions another process could continue. */
export const STORES: readonly (readonly [string, (folder: () => string) => StoreLives])[] = [
  [
    "in memory",
    () => {
      const store = memoryStore();
      return { now: () => store, reopen: async () => store, close: () => store.close() };
    },
  ],
  [
    "on SQLite",
    (folder) => {
      const path = folder();
      let store = openSqliteStore({ path, durability: "normal" });
      return {
        now: () => store,
        async reopen() {
          await store.close();
          store = openSqliteStore({ path, durability: "normal" });
          return store;
        },
        close: () => store.close(),
      };
    },
  ],
];

/** A store, and what another process would open in its place. */
export interface StoreLives {
  now(): SessionStore;
  reopen(): Promise<SessionStore>;
  close(): Promise<void>;
}

/** Opens a session of a service, with the tools above. */
export function openService(options: SessionOptions = {}) {
  return createSession({
    id: "service",
    tools: [payTool(), lookTool()],
    principal: SERVICE,
    ...options,
  });
}

const SERVICE: Partial<Principal> = {
  user: "svc-agent",
  groups: ["finance"],
  tenant: "acme",
  environment: "production",
  role: "admin",
};

export async function eventsOf(session: {
  readonly journal: { read(): AsyncIterable<JournalEvent> };
}): Promise<readonly JournalEvent[]> {
  return Array.fromAsync(session.journal.read());
}
