import type { EffectMap, MappedEffect } from "../effect-map.ts";

const FETCHES: readonly MappedEffect[] = [{ capability: "net.fetch", target: "{host:url}" }];

/** `mcp-server-fetch`. It follows redirects itself: only the given host is known in advance. */
export const FETCH_MAP: EffectMap = {
  name: "fetch",
  packages: ["pypi:mcp-server-fetch", "program:mcp-server-fetch", "image:mcp/fetch"],
  tools: {
    fetch: {
      mode: "read",
      idempotent: true,
      effects: FETCHES,
      arguments: ["max_length", "start_index", "raw"],
    },
  },
  prompts: { fetch: FETCHES },
  // A proxy would be another host than the declared one.
  start: { args: ["--ignore-robots-txt", "--user-agent="] },
};
