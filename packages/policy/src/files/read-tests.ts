import type { PolicyTest, TestCall, TestEffect, TestFacts } from "./policy-file.ts";
import { asFlag, asKeyword, asList, asMap, asText, type Diagnostics, knownEntries } from "./read-fields.ts";
import { FURTHER_FACTS, readFurtherFacts } from "./read-test-facts.ts";
import type { YamlEntry, YamlNode } from "./yaml-text.ts";

/** Tools that a test can name with their single argument. */
export const SHORTHAND_TOOLS = [
  "read",
  "write",
  "edit",
  "glob",
  "grep",
  "bash",
  "web_fetch",
  "web_search",
] as const;

export const TEST_FLAGS = [
  "sandboxed",
  "trusted",
  "forced",
  "versions-only",
  "untrusted",
  "private",
] as const;
export const TEST_NAMES = ["user", "tenant", "agent", "environment", "role"] as const;

const KEYS = [
  ...SHORTHAND_TOOLS,
  "effect",
  "tool",
  "effects",
  ...TEST_FLAGS,
  ...TEST_NAMES,
  "groups",
  ...FURTHER_FACTS,
  "expect",
] as const;

const MCP = /^mcp:([^:\s]+):(\S+)$/;

/** Reads the list `tests`. */
export function readTests(node: YamlNode, diagnostics: Diagnostics): readonly PolicyTest[] {
  const list = asList(node, "`tests`", diagnostics);
  return (list?.items ?? []).flatMap((item) => readTest(item, diagnostics) ?? []);
}

function readTest(node: YamlNode, diagnostics: Diagnostics): PolicyTest | undefined {
  const map = asMap(node, "A test", diagnostics);
  if (map === undefined) return undefined;
  const known = [...KEYS, ...map.entries.map(({ key }) => key).filter((key) => MCP.test(key))];
  const entries = knownEntries(map, known, diagnostics);
  const call = readCall(entries, node, diagnostics);
  const facts = { ...readFacts(entries, diagnostics), ...readFurtherFacts(entries, diagnostics) };
  const expected = entries.find(({ key }) => key === "expect");
  if (expected === undefined) {
    return diagnostics.add(node.position, "The test has no expected decision.", "Add e.g. `expect: allow`.");
  }
  const expect = asKeyword(expected.value, "`expect`", ["allow", "ask", "deny"] as const, diagnostics);
  if (call === undefined || expect === undefined) return undefined;
  return Object.freeze({ ...node.position, call, facts: Object.freeze(facts), expect });
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
