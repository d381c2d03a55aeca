import type { AcceptedServer, AcceptedServers } from "./accepted-servers.ts";

/** Remembers accepted servers for the lifetime of the process. */
export function memoryAcceptedServers(): AcceptedServers {
  const accepted = new Map<string, AcceptedServer>();
  const key = (owner: string, name: string) => JSON.stringify([owner, name]);
  return {
    get: async (owner, name) => accepted.get(key(owner, name)),
    set: async (owner, name, server) => void accepted.set(key(owner, name), server),
    update: async (owner, name, change) => {
      const now = accepted.get(key(owner, name));
      const next = change(now) ?? now;
      if (next !== undefined) accepted.set(key(owner, name), next);
      return next;
    },
    delete: async (owner, name) => void accepted.delete(key(owner, name)),
  };
}
