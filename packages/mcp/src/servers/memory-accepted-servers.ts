import type { AcceptedServer, AcceptedServers } from "./accepted-servers.ts";

/** Remembers accepted servers as long as the process lives. */
export function memoryAcceptedServers(): AcceptedServers {
  const known = new Map<string, AcceptedServer>();
  const key = (owner: string, name: string) => JSON.stringify([owner, name]);
  return {
    get: async (owner, name) => known.get(key(owner, name)),
    set: async (owner, name, server) => void known.set(key(owner, name), server),
    update: async (owner, name, change) => {
      const now = known.get(key(owner, name));
      const next = change(now) ?? now;
      if (next !== undefined) known.set(key(owner, name), next);
      return next;
    },
    delete: async (owner, name) => void known.delete(key(owner, name)),
  };
}
