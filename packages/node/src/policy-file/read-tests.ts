import type { PolicyTest, TestCall, TestEffect, TestFacts } from "./policy-file.ts";
import { asFlag, asList, asMap, asText, asWord, knownEntries, type Problems } from "./read-fields.ts";
import type { YamlEntry, YamlNode } from "./yaml-text.ts";

/** Tools that a test may name with their one argument. */
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

export const TEST_FLAGS = ["sandboxed", "forced", "untrusted", "private"] as const;
export const TEST_NAMES = ["user", "agent", "environment", "role"] as const;

const KEYS = [
  ...SHORTHAND_TOOLS,
  "effect",
  "tool",
  "effects",
  ...TEST_FLAGS,
  ...TEST_NAMES,
  "groups",
  "expect",
] as const;

const MCP = /^mcp:([^:\s]+):(\S+)$/;

/** Reads the list `tests`. */
export function readTests(node: YamlNode, problems: Problems): readonly PolicyTest[] {
  const list = asList(node, "`tests`", problems);
  return (list?.items ?? []).flatMap((item) => readTest(item, problems) ?? []);
}

function readTest(node: YamlNode, problems: Problems): PolicyTest | undefined {
  const map = asMap(node, "A test", problems);
  if (map === undefined) return undefined;
  const known = [...KEYS, ...map.entries.map(({ key }) => key).filter((key) => MCP.test(key))];
  const entries = knownEntries(map, known, problems);
  const call = readCall(entries, node, problems);
  const facts = readFacts(entries, problems);
  const expected = entries.find(({ key }) => key === "expect");
  if (expected === undefined) {
    return problems.add(node.place, "The test does not say what it expects.", "Add e.g. `expect: allow`.");
  }
  const expect = asWord(expected.value, "`expect`", ["allow", "ask", "deny"] as const, problems);
  if (call === undefined || expect === undefined) return undefined;
  return Object.freeze({ ...node.place, call, facts, expect });
}

function readCall(entries: readonly YamlEntry[], node: YamlNode, problems: Problems): TestCall | undefined {
  const calls = entries.filter(({ key }) => isCallKey(key));
  const [call, second] = calls;
  if (call === undefined) {
    return problems.add(node.place, "The test names no call.", "Add e.g. `bash: npm test`.");
  }
  if (second !== undefined)
    return problems.add(second.keyPlace, "A test is about one call.", "Write two tests.");
  const listed = entries.find(({ key }) => key === "effects");
  if (MCP.test(call.key)) return readMcp(call, listed, problems);
  if (call.key === "tool") return readNamed(call, listed, problems);
  if (listed !== undefined) {
    return problems.add(listed.keyPlace, "`effects` go with `tool` or with an MCP address.");
  }
  const text = asText(call.value, `\`${call.key}\``, problems);
  if (text === undefined) return undefined;
  if (call.key !== "effect") return { kind: "tool", tool: call.key, argument: text };
  const effect = readEffect(call.value, problems);
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

function readMcp(call: YamlEntry, listed: YamlEntry | undefined, problems: Problems): TestCall | undefined {
  const [, server = "", tool = ""] = MCP.exec(call.key) ?? [];
  const effects = listed === undefined ? [] : readEffects(listed.value, problems);
  return effects === undefined ? undefined : { kind: "mcp", server, tool, effects };
}

function readNamed(call: YamlEntry, listed: YamlEntry | undefined, problems: Problems): TestCall | undefined {
  const tool = asText(call.value, "`tool`", problems);
  if (listed === undefined) {
    return problems.add(
      call.keyPlace,
      "It is not said what the tool does.",
      "Add e.g. `effects: [fs.write src/x]`.",
    );
  }
  const effects = readEffects(listed.value, problems);
  return tool === undefined || effects === undefined ? undefined : { kind: "effects", tool, effects };
}

function readEffects(node: YamlNode, problems: Problems): readonly TestEffect[] | undefined {
  const items = asList(node, "`effects`", problems)?.items.map((item) => readEffect(item, problems));
  return items?.every((item) => item !== undefined) ? items : undefined;
}

function readEffect(node: YamlNode, problems: Problems): TestEffect | undefined {
  const text = asText(node, "An effect", problems);
  if (text === undefined) return undefined;
  const [, capability, target] = /^([\w.-]+)\s+(\S.*)$/.exec(text.trim()) ?? [];
  if (capability !== undefined && target !== undefined) return { capability, target };
  return problems.add(node.place, "An effect is a capability and a target.", "Write e.g. `fs.write src/x`.");
}

function readFacts(entries: readonly YamlEntry[], problems: Problems): TestFacts {
  const facts: Record<string, unknown> = {};
  for (const { key, value } of entries) {
    if ((TEST_FLAGS as readonly string[]).includes(key)) facts[key] = asFlag(value, `\`${key}\``, problems);
    else if ((TEST_NAMES as readonly string[]).includes(key))
      facts[key] = asText(value, `\`${key}\``, problems);
    else if (key === "groups") facts[key] = readGroups(value, problems);
  }
  return Object.freeze(facts) as TestFacts;
}

function readGroups(node: YamlNode, problems: Problems): readonly string[] {
  const items = asList(node, "`groups`", problems)?.items ?? [];
  return items.flatMap((item) => asText(item, "A group", problems) ?? []);
}
