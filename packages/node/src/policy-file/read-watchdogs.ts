import type { WatchdogSettings } from "@toolkeep/core";
import { POLICY_WORDS } from "@toolkeep/core/policy";
import { asMap, asWord, knownEntries, type Problems } from "./read-fields.ts";
import type { YamlNode } from "./yaml-text.ts";

const OBJECTIONS = ["ask", "deny", "off"] as const;

/** Reads the map `watchdogs`. */
export function readWatchdogs(node: YamlNode, problems: Problems): WatchdogSettings {
  const map = asMap(node, "`watchdogs`", problems);
  if (map === undefined) return {};
  const settings: Record<string, unknown> = {};
  for (const { key, value } of knownEntries(map, [...POLICY_WORDS.watchdogs, "loop"], problems)) {
    const read =
      key === "loop" ? readLoop(value, problems) : asWord(value, `\`${key}\``, OBJECTIONS, problems);
    if (read !== undefined) settings[key] = read;
  }
  return Object.freeze(settings);
}

function readLoop(node: YamlNode, problems: Problems): number | "off" | undefined {
  const value = node.kind === "scalar" ? node.value : undefined;
  if (value === "off") return "off";
  if (typeof value === "number" && Number.isInteger(value) && value >= 2) return value;
  return problems.add(node.place, "`loop` is a whole number from 2, or off.");
}
