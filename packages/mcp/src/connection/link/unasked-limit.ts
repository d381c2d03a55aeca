import { withinASecond } from "./within-a-second.ts";

const MOST_UNASKED = 2_000;

/** Why a server that floods us with messages is dropped. */
export const UNASKED_REASON = `It sent more than ${MOST_UNASKED} unsolicited messages within a second.`;

/** Counts unsolicited messages; `false` once there are too many within a second. */
export function unaskedLimit(): () => boolean {
  return withinASecond(MOST_UNASKED);
}
