import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { isWithin } from "@toolkeep/core/internal";
import type { Policy } from "@toolkeep/core/policy";
import { type Config, createProjectTrust, directories, findProject } from "@toolkeep/node/internal";
import { isTrustedByInstall } from "../clients/installed/install-record.ts";
import { programPrincipal } from "../project/program-principal.ts";
import type { Project } from "../project/read-project.ts";
import { ownFilesWatchdog } from "../project/watchdogs/own-files-watchdog.ts";
import { wideWorkspaceWatchdog } from "../project/watchdogs/wide-workspace-watchdog.ts";

/** A project that a history names, with the policy of the scan. */
export interface ScannedProject {
  readonly project: Project;
  /** Whether the folder is not there any more. */
  readonly isGone: boolean;
}

const NO_CONFIG: Config = {
  ...{ policy: [], tools: {}, allowed: [], denied: [], roots: [], catalog: [], files: [] },
  ...{ sandbox: {}, network: {}, journal: {}, audit: {}, identity: {}, redaction: { shapes: [] } },
};

/** Where a conversation is taken to be whose history does not say it. Nothing is there. */
const NOWHERE = "/nonexistent/project";

/**
 * The project of a folder that a history names. Its configuration and policy are not read. It is treated as trusted only if
 * the user trusted it before, and never because of a history.
 */
export async function scannedProject(
  folder: string | undefined,
  policy: Policy["definition"],
): Promise<ScannedProject> {
  const named = folder ?? NOWHERE;
  const found = await findProject(named).catch(() => undefined);
  const root = found ?? resolve(named);
  const isTrusted = found !== undefined && !isWithin(homedir(), root) && (await isTrustedByUser(root));
  const watchdogs = [ownFilesWatchdog(), ...wideWorkspaceWatchdog(root)];
  const project: Project = {
    source: { cwd: root },
    root,
    config: NO_CONFIG,
    policy: { ...policy, watchdogs },
    policyFile: join(directories().config, "policy.yaml"),
    isTrusted,
    trust: { scripts: isTrusted ? "run" : "ask", configuration: "none" },
    isManaged: false,
    principal: programPrincipal(),
    storeFolder: join(directories().state, "sessions"),
    notes: [],
  };
  return { project, isGone: found === undefined };
}

async function isTrustedByUser(root: string): Promise<boolean> {
  if (!existsSync(directories().state)) return false;
  const { isTrusted } = await createProjectTrust({ again: "changed" }).of(root);
  return isTrusted || (await isTrustedByInstall(root));
}
