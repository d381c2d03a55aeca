import { visible } from "@toolkeep/core/internal";
import { counted } from "../../terminal/counted.ts";
import { localTime } from "../../terminal/local-time.ts";
import { type StyledLine, wrappedLines } from "../../terminal/styled-lines.ts";
import type { SessionSummary } from "../records/session-summary.ts";

/** A session for people: when it began and its id, then what it did, who and where. */
export function summaryLines(
  summary: SessionSummary,
  short: (sessionId: string) => string,
): readonly StyledLine[] {
  const { sessionId, begunAt, calls, asked, denied } = summary;
  const what = [counted(calls, "call"), `${asked} asked`, `${denied} denied`].join(", ");
  return [
    ...wrappedLines([`${localTime(begunAt)}  ${visible(short(sessionId))}`], denied > 0 ? "red" : "bold"),
    ...wrappedLines([`  ${[what, ...whoParts(summary), ...stateParts(summary)].join("; ")}`]),
  ];
}

function whoParts({ client = "application", agent, user, roots }: SessionSummary): readonly string[] {
  const [root, ...more] = roots;
  return [
    client,
    ...(agent === undefined ? [] : [`agent ${visible(agent)}`]),
    ...(user === undefined ? [] : [`for ${visible(user)}`]),
    ...(root === undefined
      ? []
      : [`in ${visible(root)}${more.length === 0 ? "" : ` and ${counted(more.length, "folder")} more`}`]),
  ];
}

function stateParts({ state, isInUse }: SessionSummary): readonly string[] {
  if (state === "parked") return ["waits for an answer"];
  return isInUse ? ["in use"] : [];
}
