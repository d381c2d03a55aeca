import { POLICY_KEYWORDS } from "@toolkeep/core/internal";
import { RECOMMENDED } from "./parse-policy.ts";
import { SHORTHAND_TOOLS, TEST_FLAGS, TEST_NAMES } from "./test-fields.ts";

type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

const TEXT = '"(?:[^"\\\\]|\\\\.)*"';
const FACT = `(?:not\\s+)?(?:${POLICY_KEYWORDS.plainFacts.join("|")}|(?:${POLICY_KEYWORDS.namedFacts.join("|")})\\s+(?:${TEXT}|\\S+))`;
const CLAUSES = `(?:\\s+if\\s+${FACT}(?:\\s+and\\s+${FACT})*|\\s+when\\s+${TEXT}|\\s+by\\s+(?:\\d+\\s+of\\s+)?group\\s+(?:${TEXT}|\\S+)(?:\\s+within\\s+\\S+)?|\\s+never-remember|\\s+because\\s+${TEXT})*`;
const OWN = `(?:final\\s+)?(?:allow|ask|deny)\\s+[\\w.:*@/{},-]+(?:\\s+(?:${TEXT}|(?!(?:if|when|by|never-remember|because)\\s)[^\\s"]+))?`;
const ENTRY = "(?:(?:final\\s+)?(?:allow|ask|deny)\\s+)?(?:mcp__[\\w*-]+|[A-Z][A-Za-z]*)(?:\\(.*\\))?";
const LABEL = `label\\s+(?:private|untrusted)\\s+(?:${TEXT}|[^\\s"]+)(?:\\s+because\\s+${TEXT})?`;

/** The form of a rule for editors. `parseRule` checks more. */
const RULE = `^\\s*(?:(?:${OWN}|${ENTRY})${CLAUSES}|${LABEL})\\s*$`;

const TEXT_OR_NUMBER = { type: ["string", "number", "boolean"] } as const;

/** The JSON Schema of a policy file, for editors. `parsePolicy` checks more. */
export function policyJsonSchema(): { readonly [key: string]: Json } {
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "Toolkeep policy",
    type: "object",
    required: ["version"],
    additionalProperties: false,
    properties: {
      version: { const: 1, description: "The version of this format." },
      mode: {
        enum: [...POLICY_KEYWORDS.modes],
        default: "ask",
        description: "How a call is treated that a rule asks about.",
      },
      extends: {
        type: "array",
        items: { type: "string", examples: [RECOMMENDED] },
        description: "Policies whose rules, watchdogs and locks are inherited.",
      },
      "allow-list": {
        type: "array",
        items: { type: "string", pattern: "^[\\w.:*-]+(?:\\(.+\\))?$" },
        description: "For the mode allowlist: name, or name(keyPattern).",
      },
      rules: {
        type: "array",
        items: { type: "string", maxLength: 2_000, pattern: RULE },
        description:
          '[final] action permission ["pattern"] [if condition {and condition}] [when "expression"] [by [N of] group NAME [within 1h]] [never-remember] [because "…"], or label private|untrusted "pattern"',
      },
      shadow: {
        type: "array",
        items: { type: "string", maxLength: 2_000, pattern: RULE },
        description: "Rules on trial: what they would change is recorded, and they enforce nothing.",
      },
      watchdogs: watchdogs(),
      locks: {
        type: "array",
        items: {
          type: "string",
          pattern: "^[\\w@/:-]+(?:\\.[\\w@/:-]+)*(?:\\.\\*)?$",
          examples: ["deploy.run"],
        },
        description:
          "Capabilities: a call with such an effect runs alone among all sessions that share a store or a process.",
      },
      tests: { type: "array", items: test(), description: "Calls and their expected decisions." },
    },
  };
}

function watchdogs(): Json {
  const objection = { enum: ["ask", "deny", "off"] };
  const named = Object.fromEntries(POLICY_KEYWORDS.watchdogs.map((name) => [name, objection]));
  return {
    type: "object",
    additionalProperties: false,
    properties: { ...named, loop: { anyOf: [{ type: "integer", minimum: 2 }, { const: "off" }] } },
    description: "What each watchdog does when it objects.",
  };
}

function test(): Json {
  const effect = { type: "string", pattern: "^[\\w.-]+\\s+\\S.*$" };
  const calls = Object.fromEntries(SHORTHAND_TOOLS.map((name) => [name, TEXT_OR_NUMBER]));
  const flags = Object.fromEntries(TEST_FLAGS.map((name) => [name, { type: "boolean" }]));
  const names = Object.fromEntries(TEST_NAMES.map((name) => [name, TEXT_OR_NUMBER]));
  return {
    type: "object",
    required: ["expect"],
    minProperties: 2,
    additionalProperties: false,
    patternProperties: { "^mcp:[^:\\s]+:\\S+$": {} },
    properties: {
      ...calls,
      effect,
      tool: { type: "string" },
      effects: { type: "array", items: effect },
      ...flags,
      ...names,
      groups: { type: "array", items: TEXT_OR_NUMBER },
      args: { type: "object", description: "The arguments of the call." },
      now: { type: "string", description: "The time of the call, with its zone." },
      earlier: {
        anyOf: [
          { type: "integer", minimum: 0 },
          { type: "object", additionalProperties: { type: "integer", minimum: 0 } },
        ],
        description: "How many calls like this one were made before it; or how many how long before.",
      },
      expect: { enum: ["allow", "ask", "deny"] },
      by: {
        anyOf: [{ type: "string" }, { type: "array", items: { type: "string" } }],
        description: "Who must approve what asks: `2 of group payments`, or a list.",
      },
    },
  };
}
