import type { ServerContext } from "@modelcontextprotocol/server";
import { harmlessText } from "@toolkeep/core/internal";
import type { OnProgress } from "./served-call.ts";

const LONGEST_TEXT = 500;
const WHOLE = 100;
/** Every report must be higher than the one before, even if only the text changed. */
const STEP = 0.001;

/** Forwards progress to a client that sent a progress token; `undefined` for one that did not. */
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
    // A client that has disconnected needs no progress.
    mcpReq.notify({ method: "notifications/progress", params }).catch(() => {});
  };
}
