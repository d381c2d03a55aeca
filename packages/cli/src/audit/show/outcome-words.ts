import type { LineStyle } from "../../terminal/styled-lines.ts";
import type { LoggedCall } from "../records/logged-call.ts";

export const STYLES: Readonly<Partial<Record<LoggedCall["decision"], LineStyle>>> = {
  denied: "red",
  refused: "red",
  waiting: "yellow",
  delegated: "cyan",
  noticed: "yellow",
};

/** What is known of a call that the client runs: a user's "No" in its dialog, for example, is not reported. */
export const OUTCOMES: Readonly<Record<string, string>> = {
  unknown: "outcome unknown",
  unconfined: "RAN OUTSIDE OF THE SANDBOX",
  ran: "ran",
  failed: "ran and failed",
  started: "started in the background",
  refused: "refused by the client",
};
