import { existsSync, readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join, relative } from "node:path";
import { isWithin, joinCommand, visible } from "@toolkeep/core/internal";
import { type ConfigReading, projectCandidates } from "@toolkeep/node/internal";
import { isTrustedByInstall } from "../clients/installed/install-record.ts";
import { untrustedNames } from "./untrusted-names.ts";

/** What a user trusts of a project. Every command that says it takes it from here. */
export interface TrustState {
  /** Whether the project's own tests, builds and scripts run without asking. An installation can trust these alone. */
  readonly scripts: "run" | "ask";
  /** The state of its configuration, policy and tools. */
  readonly configuration: "none" | "untrusted" | "trusted" | "changed";
  /** What of it does not apply although it may be meant to, and the command that changes that. */
  readonly ignored?: { readonly message: string; readonly command: string };
}

type Read = Pick<ConfigReading, "config" | "untrusted" | "changed">;

/** The state of a project. Nothing is read of a project that was never trusted, but whether a file looks like a policy. */
export async function trustState(root: string, cwd: string, read: Read): Promise<TrustState> {
  const { untrusted, changed } = read;
  // Never a folder with more than one project in it.
  const isProject = !isWithin(homedir(), root);
  const isRun = isProject && (untrusted === undefined || (await isTrustedByInstall(root)));
  const configuration = await configurationOf(root, read);
  const ignored = ignoredIn(root, cwd, read);
  return {
    scripts: isRun ? "run" : "ask",
    configuration,
    ...(isProject && ignored !== undefined ? { ignored } : {}),
    ...(changed === undefined ? {} : { ignored: changedThings(root, read) }),
  };
}

/** The state in words. */
export function trustText({ scripts, configuration }: TrustState): string {
  const own = scripts === "run" ? "its own scripts run without asking" : "its own scripts ask";
  return `${own}; ${CONFIGURATION[configuration]}`;
}

const CONFIGURATION: Readonly<Record<TrustState["configuration"], string>> = {
  none: "it has no configuration and no tools",
  untrusted: "its configuration, policy and tools are not trusted, so they do not apply",
  trusted: "its configuration, policy and tools are trusted",
  changed:
    "its configuration, policy or tools have changed since they were trusted, so only what narrows applies",
};

/** What is ignored, as one line with its command. */
export function ignoredNote({ ignored }: TrustState): string | undefined {
  return ignored && visible(`${ignored.message} Run \`${ignored.command}\`.`);
}

async function configurationOf(
  root: string,
  { untrusted, changed }: Read,
): Promise<TrustState["configuration"]> {
  if (changed !== undefined) return "changed";
  // Servers are accepted one by one.
  const names = (await untrustedNames(root)).filter((name) => name !== ".mcp.json");
  if (names.length === 0) return "none";
  return untrusted === undefined ? "trusted" : "untrusted";
}

function ignoredIn(root: string, cwd: string, { config, untrusted }: Read): TrustState["ignored"] {
  const files = projectCandidates(root, cwd).flat();
  const [named] = files.filter(({ file }) => untrusted !== undefined && existsSync(file));
  if (named !== undefined) {
    const message = `${root} has a configuration (${relative(root, named.file)}) that is not trusted, so it does not apply, nor does the policy that it names.`;
    return { message, command: trustCommand(root) };
  }
  const policies = config?.policy ?? [];
  if (policies.some(({ layer }) => layer === "project" || layer === "local")) return undefined;
  const path = POLICIES.map((name) => join(root, name)).find(isPolicy);
  if (path === undefined || policies.some((one) => one.path === path)) return undefined;
  const command = joinCommand(["toolkeep", "policy", "enable", path, "--project", root]);
  return { message: `The policy ${path} is not enabled, so it decides nothing.`, command };
}

const MOST_NAMES = 5;

function changedThings(root: string, { changed = [], untrusted = "the changes are unknown" }: Read) {
  const names = changed.slice(0, MOST_NAMES).map((name) => JSON.stringify(name));
  const more = changed.length > MOST_NAMES ? [`${changed.length - MOST_NAMES} more`] : [];
  const what = names.length === 0 ? untrusted : [...names, ...more].join(", ");
  const message = `${root} has changed since it was trusted: ${what}. Its deny and ask rules still apply, and allow rules in changed files do not.`;
  return { message, command: trustCommand(root) };
}

/** The command that shows what is new or changed in a project, and trusts it. */
export function trustCommand(root: string): string {
  return joinCommand(["toolkeep", "trust", "--project", root]);
}

const FOLDERS = [".toolkeep", "."];
const POLICIES = FOLDERS.flatMap((folder) =>
  ["policy.yaml", "policy.yml", "toolkeep.yaml", "toolkeep.yml"].map((name) => join(folder, name)),
);
const MOST_BYTES = 1_000_000;

/** Whether a file says that it is a policy. */
function isPolicy(path: string): boolean {
  try {
    const stats = statSync(path);
    if (!stats.isFile() || stats.size > MOST_BYTES) return false;
    const text = readFileSync(path, "utf8");
    return (
      /^version:\s*1\s*(?:#.*)?$/m.test(text) && /^(?:rules|extends|watchdogs|mode|locks)\s*:/m.test(text)
    );
  } catch {
    return false;
  }
}
