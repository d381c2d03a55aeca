import { withinASecond } from "./within-a-second.ts";

const MOST_UNASKED = 2_000;

/** Why a server that talks without being asked is dropped. */
export const UNASKED_REASON = `It sent more than ${MOST_UNASKED} messages within a second that nobody asked for.`;

/** Counts messages that nobody asked for; `false` once there are more within a second than can be borne. */
export function unaskedLimit(): () => boolean {
  return withinASecond(MOST_UNASKED);
}
