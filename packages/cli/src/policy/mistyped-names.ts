import { readFileSync } from "node:fs";
import type { Rule } from "@toolkeep/core";
import { closestName } from "@toolkeep/core/internal";
import { type Config, createProjectTrust, osUser, readConfig } from "@toolkeep/node/internal";
import type { PolicyFile } from "@toolkeep/policy";
import { standardTools } from "@toolkeep/tools";
import { chooseServers } from "../tools/servers/choose-servers.ts";

/** Names that rules may use, as far as this machine and the file know them. All of these sets are open. */
interface KnownNames {
  readonly servers: readonly string[];
  readonly groups: readonly string[];
  readonly users: readonly string[];
}

/** Names of servers, groups, users and arguments that are almost those of known ones: such a rule never applies. */
export async function mistypedIn(file: PolicyFile, cwd: string) {
  const known = await knownNames(file, cwd);
  return file.ownRules.flatMap(({ rule, line, column }) =>
    usesOf(rule, file, known).flatMap(({ kind, name, among }) => {
      const near = among.includes(name) ? undefined : closestName(name, among);
      if (near === undefined) return [];
      const message = `No ${kind} called ${JSON.stringify(name)} is known here.`;
      const hint = `Did you mean \`${near}\`?`;
      return [{ code: "unknown_name", file: file.file, line, column, message, hint }];
    }),
  );
}

interface Use {
  readonly kind: "server" | "group" | "user" | "argument";
  readonly name: string;
  readonly among: readonly string[];
}

function usesOf(rule: Rule, file: PolicyFile, { servers, groups, users }: KnownNames): readonly Use[] {
  const { approvers, if: conditions = [] } = rule;
  const [, server] = /^mcp:([\w-]+)(?::|$)/.exec(addressOf(rule)) ?? [];
  const facts = conditions.flatMap((one): readonly Use[] => {
    const [, kind, name = ""] = /^(?:not )?(group|user) ([^\s*]+)$/.exec(one) ?? [];
    if (kind === "group") return [{ kind, name, among: groups }];
    return kind === "user" ? [{ kind, name, among: users }] : [];
  });
  const args = argumentsOf(rule, file);
  const earlier = namedBefore(rule, file);
  const amongOf = (name: string) => (closestName(name, args) === undefined ? [...args, ...earlier] : args);
  return [
    ...(server === undefined ? [] : [{ kind: "server", name: server, among: servers } as const]),
    ...(approvers === undefined ? [] : [{ kind: "group", name: approvers.group, among: groups } as const]),
    ...facts,
    ...namedIn(rule).map((name) => ({ kind: "argument", name, among: amongOf(name) }) as const),
  ];
}

/** The arguments that the condition of a rule names. */
function namedIn({ when = "" }: Rule): readonly string[] {
  const outside = when.replaceAll(/"[^"]*"|'[^']*'/g, '""');
  return [...new Set(Array.from(outside.matchAll(/\bargs\.(\w+)/g), ([, name = ""]) => name))];
}

/** The same of the rules above it that are about the same tool: of two names that are almost one, the second is named. */
function namedBefore(rule: Rule, { ownRules }: PolicyFile): readonly string[] {
  const address = addressOf(rule);
  const above = ownRules.slice(
    0,
    ownRules.findIndex((one) => one.rule === rule),
  );
  return above
    .map((one) => one.rule)
    .flatMap((one) => (isAboutSame(addressOf(one), address) ? namedIn(one) : []));
}

function isAboutSame(one: string, other: string): boolean {
  if (!one.startsWith("mcp:") || !other.startsWith("mcp:")) return one === other;
  return covers(one, other) || covers(other, one);
}

const addressOf = ({ permission, pattern = "" }: Rule) => (permission === "mcp.call" ? pattern : permission);

/** The arguments of the tool that a rule is about: by its schema, and as the tests of the file write them. */
function argumentsOf({ permission }: Rule, { tests }: PolicyFile): readonly string[] {
  const tool = standardTools().find(({ name }) => name === permission);
  if (tool !== undefined) {
    const { properties = {} } = tool.inputSchema as { readonly properties?: object };
    return Object.keys(properties);
  }
  const about = tests.filter(
    ({ call }) => call.kind !== "mcp" || covers(permission, `mcp:${call.server}:${call.tool}`),
  );
  return about.flatMap(({ facts }) => Object.keys(facts.args ?? {}));
}

/** A rule on effects is about the arguments of any tool. */
function covers(permission: string, tool: string): boolean {
  if (!permission.startsWith("mcp:")) return true;
  const [start = ""] = permission.split("*");
  return permission.includes("*") ? tool.startsWith(start) : tool === permission;
}

async function knownNames({ tests }: PolicyFile, cwd: string): Promise<KnownNames> {
  const { config, project } = await readConfig({ cwd, trust: createProjectTrust({ again: "changed" }) });
  // Without the servers of an invalid configuration fewer names are known, so less is warned of.
  const chosen = await chooseServers(project).catch(() => undefined);
  const tested = tests.flatMap(({ call }) => (call.kind === "mcp" ? [call.server] : []));
  const servers = [...(chosen?.servers ?? []).map(({ name }) => name), ...Object.keys(config?.servers ?? {})];
  const facts = tests.map((one) => one.facts);
  const { user, groups = [] } = osUser();
  const approvers: Config["approvers"] = config?.approvers ?? {};
  return {
    servers: [...servers, ...tested],
    groups: [
      ...[...groups, ...groupsOfMachine(), ...facts.flatMap((one) => one.groups ?? [])],
      ...Object.values(approvers).flatMap((one) => one.groups ?? []),
    ],
    users: [user, ...facts.flatMap((one) => one.user ?? []), ...Object.keys(approvers)],
  };
}

function groupsOfMachine(): readonly string[] {
  try {
    return readFileSync("/etc/group", "utf8")
      .split("\n")
      .flatMap((line) => line.split(":")[0] || []);
  } catch {
    return [];
  }
}
