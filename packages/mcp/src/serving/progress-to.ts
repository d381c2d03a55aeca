import type { ServerContext } from "@modelcontextprotocol/server";
import { harmlessText } from "@toolkeep/core/internal";
import type { OnProgress } from "./served-call.ts";

const LONGEST_TEXT = 500;
const WHOLE = 100;
/** Every report must be higher than the one before, also where nothing but a text is new. */
const STEP = 0.001;

/** Passes progress on to a client that gave a token for it; `undefined` for one that did not. */
export function progressTo({ mcpReq }: ServerContext): OnProgress | undefined {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return undefined;
  let last = -STEP;
  return (text, fraction) => {
    const wanted = fraction === undefined ? last + STEP : fraction * WHOLE;
    last = Math.max(wanted, last + STEP);
    const params = {
      progressToken,
      progress: last,
      ...(fraction === undefined ? {} : { total: WHOLE }),
      ...(text === undefined || text === "" ? {} : { message: harmlessText(text).slice(0, LONGEST_TEXT) }),
    };
    // A client that has gone misses nothing that counts.
    mcpReq.notify({ method: "notifications/progress", params }).catch(() => {});
  };
}
