import type { PolicyTool } from "../../contract/policy/policy-call.ts";
import type { Rule } from "../../contract/policy/rule.ts";
import type { Diagnostic } from "../../contract/values/diagnostic.ts";
import { closestName } from "../../contract/values/error.ts";
import { mcpAddress } from "./called-action.ts";
import { ruleText } from "./compile-rule.ts";
import { KNOWN_CAPABILITIES } from "./known-permissions.ts";

/**
 * Rules whose permission names no tool, server or capability that there is: a deny with a typo denies nothing. They are
 * no errors, because tools may come later. Rules that are written for many names are left out, except for all tools of
 * one server.
 */
export function unmatchedRules(rules: readonly Rule[], tools: readonly PolicyTool[]): readonly Diagnostic[] {
  if (tools.length === 0) return [];
  const names = knownNames(tools);
  const found = rules.filter(({ permission }) => !isMatched(permission, names));
  return [...new Map(found.map((rule) => [ruleText(rule), diagnosticOf(rule, names)])).values()];
}

interface Names {
  readonly tools: ReadonlySet<string>;
  /** `mcp:server:tool`. */
  readonly addresses: ReadonlySet<string>;
  /** `mcp:server:*`. */
  readonly servers: ReadonlySet<string>;
  readonly capabilities: ReadonlySet<string>;
}

function knownNames(tools: readonly PolicyTool[]): Names {
  const addresses = tools.flatMap((tool) => mcpAddress(tool) ?? []);
  const own = tools.flatMap(({ tool: { requires } }) =>
    typeof requires === "object" ? (requires.capabilities ?? []) : [],
  );
  return {
    tools: new Set(tools.map(({ name }) => name)),
    addresses: new Set(addresses),
    servers: new Set(addresses.map((address) => address.replace(/:[^:]*$/, ":*"))),
    capabilities: new Set([...KNOWN_CAPABILITIES, "unknown", ...own]),
  };
}

function isMatched(permission: string, { tools, addresses, servers, capabilities }: Names): boolean {
  if (SERVER.test(permission)) return servers.has(permission);
  if (permission.includes("*")) return true;
  const action = permission.slice(0, Math.max(permission.lastIndexOf("."), 0));
  return [tools, addresses, capabilities].some((known) => known.has(permission)) || tools.has(action);
}

const SERVER = /^mcp:[^:*]+:\*$/;

function diagnosticOf(rule: Rule, { tools, addresses, servers, capabilities }: Names): Diagnostic {
  const { permission, at } = rule;
  const all = permission.startsWith("mcp:") ? [...addresses, ...servers] : [...tools, ...capabilities];
  const near = closestName(permission, all);
  const [, file, line] = /^(.+):(\d+)$/.exec(at ?? "") ?? [];
  return Object.freeze({
    code: "unmatched_rule",
    message: `The rule \`${ruleText(rule)}\` matches nothing: this session has no tool and no capability \`${permission}\`.`,
    ...(near === undefined ? {} : { hint: `Did you mean \`${near}\`?` }),
    ...(file === undefined ? {} : { file, line: Number(line) }),
  });
}
