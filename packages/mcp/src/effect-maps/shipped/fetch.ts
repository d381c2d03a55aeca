import type { EffectMap } from "../effect-map.ts";

/** `mcp-server-fetch`. It follows redirects itself: the host it is given is all that can be foreseen. */
export const FETCH_MAP: EffectMap = {
  name: "fetch",
  packages: ["pypi:mcp-server-fetch", "program:mcp-server-fetch", "image:mcp/fetch"],
  tools: {
    fetch: {
      mode: "read",
      idempotent: true,
      effects: [{ capability: "net.fetch", target: "{host:url}" }],
    },
  },
};
