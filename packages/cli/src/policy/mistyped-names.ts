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
      const message = `No ${kind} is known here that is called ${JSON.stringify(name)}.`;
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
  const { permission, pattern = "", approvers, when = "", if: conditions = [] } = rule;
  const address = permission === "mcp.call" ? pattern : permission;
  const [, server] = /^mcp:([\w-]+)(?::|$)/.exec(address) ?? [];
  const facts = conditions.flatMap((one): readonly Use[] => {
    const [, kind, name = ""] = /^(?:not )?(group|user) ([^\s*]+)$/.exec(one) ?? [];
    if (kind === "group") return [{ kind, name, among: groups }];
    return kind === "user" ? [{ kind, name, among: users }] : [];
  });
  const args = argumentsOf(rule, file);
  const outside = when.replaceAll(/"[^"]*"|'[^']*'/g, '""');
  const named = [...new Set(Array.from(outside.matchAll(/\bargs\.(\w+)/g), ([, name = ""]) => name))];
  return [
    ...(server === undefined ? [] : [{ kind: "server", name: server, among: servers } as const]),
    ...(approvers === undefined ? [] : [{ kind: "group", name: approvers.group, among: groups } as const]),
    ...facts,
    ...named.map((name) => ({ kind: "argument", name, among: args }) as const),
  ];
}

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
