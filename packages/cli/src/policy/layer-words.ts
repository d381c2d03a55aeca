import type { ExplainedStep } from "@toolkeep/core/policy";
import type { LineStyle } from "../terminal/styled-lines.ts";

export const LAYERS: Readonly<Record<ExplainedStep["layer"], string>> = {
  rule: "rule",
  default: "no rule",
  stage: "stage",
  "allow-list": "allow list",
  mode: "mode",
  approval: "approval",
  watchdog: "watchdog",
  approver: "approver",
  containment: "containment",
};

export const COLOURS: Readonly<Record<"allow" | "ask" | "deny", LineStyle>> = {
  allow: "green",
  ask: "yellow",
  deny: "red",
};
