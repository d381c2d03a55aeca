import { windowOf } from "../cel/windows.ts";
import type { PolicyTest, TestCall, TestEffect, TestFacts } from "./policy-file.ts";
import { asFlag, asKeyword, asList, asMap, asText, type Diagnostics, knownEntries } from "./read-fields.ts";
import { type FURTHER_FACTS, SHORTHAND_TOOLS, TEST_FIELDS, TEST_FLAGS, TEST_NAMES } from "./test-fields.ts";
import type { YamlEntry, YamlNode } from "./yaml-text.ts";

type FurtherFacts = Pick<TestFacts, (typeof FURTHER_FACTS)[number]>;

/** Reads `args`, `now` and `earlier` of a test; the value of an MCP address is its arguments too. */
function readFurtherFacts(entries: readonly YamlEntry[], diagnostics: Diagnostics): FurtherFacts {
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

const MCP = /^mcp:([^:\s]+):(\S+)$/;

/** Reads the list `tests`. */
export function readTests(node: YamlNode, diagnostics: Diagnostics): readonly PolicyTest[] {
  const list = asList(node, "`tests`", diagnostics);
  return (list?.items ?? []).flatMap((item) => readTest(item, diagnostics) ?? []);
}

function readTest(node: YamlNode, diagnostics: Diagnostics): PolicyTest | undefined {
  const map = asMap(node, "A test", diagnostics);
  if (map === undefined) return undefined;
  const known = [...TEST_FIELDS, ...map.entries.map(({ key }) => key).filter((key) => MCP.test(key))];
  const entries = knownEntries(map, known, diagnostics);
  const call = readCall(entries, node, diagnostics);
  const facts = { ...readFacts(entries, diagnostics), ...readFurtherFacts(entries, diagnostics) };
  const expected = entries.find(({ key }) => key === "expect");
  if (expected === undefined) {
    return diagnostics.add(node.position, "The test has no expected decision.", "Add e.g. `expect: allow`.");
  }
  const expect = asKeyword(expected.value, "`expect`", ["allow", "ask", "deny"] as const, diagnostics);
  if (call === undefined || expect === undefined) return undefined;
  const written = entries.find(({ key }) => key === "by");
  const by = written === undefined ? undefined : readBy(written, expect, diagnostics);
  const rest = by === undefined ? {} : { by };
  return Object.freeze({ ...node.position, call, facts: Object.freeze(facts), expect, ...rest });
}

const APPROVERS = /^(?:\d+ of )?group \S.*$/;

/** Who must approve: `2 of group payments`, or a list where several groups must. */
function readBy({ value }: YamlEntry, expect: string, diagnostics: Diagnostics): PolicyTest["by"] {
  const items = value.kind === "list" ? value.items : [value];
  const by = items.flatMap((item) => asText(item, "`by`", diagnostics) ?? []);
  if (expect === "ask" && by.every((one) => APPROVERS.test(one))) return by;
  const message =
    expect === "ask" ? "`by` must name a group." : "`by` is who approves what asks: `expect` must be ask.";
  return diagnostics.add(value.position, message, "Write e.g. `expect: ask, by: 2 of group payments`.");
}

function readCall(
  entries: readonly YamlEntry[],
  node: YamlNode,
  diagnostics: Diagnostics,
): TestCall | undefined {
  const calls = entries.filter(({ key }) => isCallKey(key));
  const [call, second] = calls;
  if (call === undefined) {
    return diagnostics.add(node.position, "The test has no call.", "Add e.g. `bash: npm test`.");
  }
  if (second !== undefined)
    return diagnostics.add(second.keyPosition, "A test has one call.", "Write two tests.");
  const listed = entries.find(({ key }) => key === "effects");
  if (MCP.test(call.key)) return readMcp(call, listed, diagnostics);
  if (call.key === "tool") return readNamed(call, listed, diagnostics);
  if (listed !== undefined) {
    return diagnostics.add(listed.keyPosition, "`effects` needs `tool` or an MCP address.");
  }
  const text = asText(call.value, `\`${call.key}\``, diagnostics);
  if (text === undefined) return undefined;
  if (call.key !== "effect") return { kind: "tool", tool: call.key, argument: text };
  const effect = readEffect(call.value, diagnostics);
  return effect === undefined ? undefined : { kind: "effects", tool: "test", effects: [effect] };
}

function isCallKey(key: string): boolean {
  return (
    (SHORTHAND_TOOLS as readonly string[]).includes(key) ||
    key === "effect" ||
    key === "tool" ||
    MCP.test(key)
  );
}

function readMcp(
  call: YamlEntry,
  listed: YamlEntry | undefined,
  diagnostics: Diagnostics,
): TestCall | undefined {
  const [, server = "", tool = ""] = MCP.exec(call.key) ?? [];
  const effects = listed === undefined ? [] : readEffects(listed.value, diagnostics);
  return effects === undefined ? undefined : { kind: "mcp", server, tool, effects };
}

function readNamed(
  call: YamlEntry,
  listed: YamlEntry | undefined,
  diagnostics: Diagnostics,
): TestCall | undefined {
  const tool = asText(call.value, "`tool`", diagnostics);
  if (listed === undefined) {
    return diagnostics.add(
      call.keyPosition,
      "The effects of the tool are missing.",
      "Add e.g. `effects: [fs.write src/x]`.",
    );
  }
  const effects = readEffects(listed.value, diagnostics);
  return tool === undefined || effects === undefined ? undefined : { kind: "effects", tool, effects };
}

function readEffects(node: YamlNode, diagnostics: Diagnostics): readonly TestEffect[] | undefined {
  const items = asList(node, "`effects`", diagnostics)?.items.map((item) => readEffect(item, diagnostics));
  return items?.every((item) => item !== undefined) ? items : undefined;
}

function readEffect(node: YamlNode, diagnostics: Diagnostics): TestEffect | undefined {
  const text = asText(node, "An effect", diagnostics);
  if (text === undefined) return undefined;
  const [, capability, target] = /^([\w.-]+)\s+(\S.*)$/.exec(text.trim()) ?? [];
  if (capability !== undefined && target !== undefined) return { capability, target };
  return diagnostics.add(
    node.position,
    "An effect must be a capability and a target.",
    "Write e.g. `fs.write src/x`.",
  );
}

function readFacts(entries: readonly YamlEntry[], diagnostics: Diagnostics): TestFacts {
  const facts: Record<string, unknown> = {};
  for (const { key, value } of entries) {
    if ((TEST_FLAGS as readonly string[]).includes(key))
      facts[key] = asFlag(value, `\`${key}\``, diagnostics);
    else if ((TEST_NAMES as readonly string[]).includes(key))
      facts[key] = asText(value, `\`${key}\``, diagnostics);
    else if (key === "groups") facts[key] = readGroups(value, diagnostics);
  }
  return Object.freeze(facts) as TestFacts;
}

function readGroups(node: YamlNode, diagnostics: Diagnostics): readonly string[] {
  const items = asList(node, "`groups`", diagnostics)?.items ?? [];
  return items.flatMap((item) => asText(item, "A group", diagnostics) ?? []);
}
