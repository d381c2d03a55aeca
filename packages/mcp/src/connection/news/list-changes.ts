import type { Client } from "@modelcontextprotocol/client";
import type { ConnectionChange } from "./connection.ts";

export type ListChange = Exclude<ConnectionChange, "status">;

/** Several changes in quick succession are reported once. */
const GATHER_MS = 50;

/** Listens for changes of a list. Call it before the client connects. */
export function onListChanges(client: Client, tell: (change: ListChange) => void): void {
  const timers = new Map<ListChange, NodeJS.Timeout>();
  const gather = (change: ListChange) => {
    if (timers.has(change)) return;
    const timer = setTimeout(() => {
      timers.delete(change);
      tell(change);
    }, GATHER_MS);
    timers.set(change, timer.unref());
  };
  client.setNotificationHandler("notifications/tools/list_changed", () => gather("tools"));
  client.setNotificationHandler("notifications/resources/list_changed", () => gather("resources"));
  client.setNotificationHandler("notifications/prompts/list_changed", () => gather("prompts"));
}
