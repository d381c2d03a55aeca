import { POLICY_KEYWORDS } from "@toolkeep/core/internal";
import type { WatchdogSettings } from "@toolkeep/core/policy";
import { asMap, asWord, type Diagnostics, knownEntries } from "./read-fields.ts";
import type { YamlNode } from "./yaml-text.ts";

const OBJECTIONS = ["ask", "deny", "off"] as const;

/** Reads the map `watchdogs`. */
export function readWatchdogs(node: YamlNode, diagnostics: Diagnostics): WatchdogSettings {
  const map = asMap(node, "`watchdogs`", diagnostics);
  if (map === undefined) return {};
  const settings: Record<string, unknown> = {};
  for (const { key, value } of knownEntries(map, [...POLICY_KEYWORDS.watchdogs, "loop"], diagnostics)) {
    const read =
      key === "loop" ? readLoop(value, diagnostics) : asWord(value, `\`${key}\``, OBJECTIONS, diagnostics);
    if (read !== undefined) settings[key] = read;
  }
  return Object.freeze(settings);
}

function readLoop(node: YamlNode, diagnostics: Diagnostics): number | "off" | undefined {
  const value = node.kind === "scalar" ? node.value : undefined;
  if (value === "off") return "off";
  if (typeof value === "number" && Number.isInteger(value) && value >= 2) return value;
  return diagnostics.add(node.place, "`loop` is a whole number from 2, or off.");
}
