import { windowOf } from "../cel/windows.ts";
import type { TestFacts } from "./policy-file.ts";
import { asMap, asText, type Diagnostics } from "./read-fields.ts";
import type { YamlEntry, YamlNode } from "./yaml-text.ts";

/** What conditions in `when` can ask for, besides the principal. */
export const FURTHER_FACTS = ["args", "now", "earlier"] as const;

type FurtherFacts = Pick<TestFacts, (typeof FURTHER_FACTS)[number]>;

/** Reads `args`, `now` and `earlier` of a test; the value of an MCP address is its arguments too. */
export function readFurtherFacts(entries: readonly YamlEntry[], diagnostics: Diagnostics): FurtherFacts {
  const facts: { -readonly [Key in keyof FurtherFacts]: FurtherFacts[Key] | undefined } = {};
  for (const { key, value, keyPosition } of entries) {
    if (key === "args" || (key.startsWith("mcp:") && value.kind === "map")) {
      if (facts.args !== undefined)
        diagnostics.add(keyPosition, "The arguments of the call are given twice.");
      const args = asMap(value, "`args`", diagnostics);
      if (args !== undefined && (key === "args" || args.entries.length > 0)) facts.args = fieldsOf(args);
    }
    if (key === "now") facts.now = readTime(value, diagnostics);
    if (key === "earlier") facts.earlier = readEarlier(value, diagnostics);
  }
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined)) as FurtherFacts;
}

function fieldsOf(map: YamlNode & { readonly kind: "map" }): Readonly<Record<string, unknown>> {
  return Object.fromEntries(map.entries.map(({ key, value }) => [key, plainValue(value)]));
}

function plainValue(node: YamlNode): unknown {
  if (node.kind === "map") return fieldsOf(node);
  return node.kind === "list" ? node.items.map(plainValue) : node.value;
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:\d\d)$/;

function readTime(node: YamlNode, diagnostics: Diagnostics): number | undefined {
  const text = asText(node, "`now`", diagnostics);
  if (text === undefined) return undefined;
  const at = TIME.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(at)) return at;
  return diagnostics.add(
    node.position,
    "`now` must be a time with its zone.",
    "Write e.g. `now: 2026-11-16T21:30+01:00`.",
  );
}

const MOST_EARLIER = 10_000;

/** `earlier: 20`, or how many how long before: `earlier: { 10m: 20, 2h: 5 }`. */
function readEarlier(node: YamlNode, diagnostics: Diagnostics): FurtherFacts["earlier"] {
  const count = countOf(node);
  if (count !== undefined) return [{ agoMs: 1_000, count }];
  if (node.kind === "map") {
    const all = node.entries.map(({ key, value }) => ({ agoMs: windowOf(key), count: countOf(value) }));
    const known = all.flatMap(({ agoMs, count: times }) =>
      agoMs === undefined || times === undefined ? [] : [{ agoMs, count: times }],
    );
    if (known.length === all.length) return known.toSorted((one, other) => other.agoMs - one.agoMs);
  }
  return diagnostics.add(
    node.position,
    "`earlier` must be a number of calls, or say how many were made how long before.",
    "Write e.g. `earlier: 20`, or `earlier: { 10m: 20, 2h: 5 }`.",
  );
}

function countOf(node: YamlNode): number | undefined {
  const value = node.kind === "scalar" ? node.value : undefined;
  const isCount = typeof value === "number" && Number.isInteger(value) && value >= 0;
  return isCount && value <= MOST_EARLIER ? value : undefined;
}
