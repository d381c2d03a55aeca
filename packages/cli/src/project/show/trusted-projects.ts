import { existsSync } from "node:fs";
import { createProjectTrust, readConfig, trustStore } from "@toolkeep/node/internal";
import { isTrustedByInstall } from "../../clients/installed/install-record.ts";
import { installedProjects } from "../../clients/installed/installed-projects.ts";

/** A project that this user trusts, and whether it is still what was trusted. */
export interface ListedTrust {
  readonly project: string;
  /** `installation`: its own scripts may run, and nothing of its configuration applies. */
  readonly by: "you" | "installation";
  /** When, as ISO 8601. */
  readonly at?: string;
  readonly state: "trusted" | "changed" | "gone";
  /** What is new or different since. */
  readonly changed?: readonly string[];
}

/** The projects that this user trusts, by their paths. Nothing of any other project is read. */
export async function trustedProjects(): Promise<readonly ListedTrust[]> {
  const own = await Promise.all(
    [...(await trustStore().list())].map(([project, { at }]) => listed(project, at)),
  );
  const known = new Set(own.map(({ project }) => project));
  const installed = new Map((await installedProjects()).map((one) => [one.project, one.exists]));
  const others = [...installed].filter(([project]) => !known.has(project));
  const byInstall = await Promise.all(
    others.map(
      async ([project, exists]): Promise<readonly ListedTrust[]> =>
        (await isTrustedByInstall(project))
          ? [{ project, by: "installation", state: exists ? "trusted" : "gone" }]
          : [],
    ),
  );
  return [...own, ...byInstall.flat()].toSorted((one, other) => (one.project < other.project ? -1 : 1));
}

async function listed(project: string, at: string): Promise<ListedTrust> {
  const base = { project, by: "you", at } as const;
  if (!existsSync(project)) return { ...base, state: "gone" };
  // With the policies that its configuration names.
  const trust = createProjectTrust({ again: "changed" });
  const { untrusted, changed = [] } = await readConfig({ cwd: project, trust });
  return untrusted === undefined ? { ...base, state: "trusted" } : { ...base, state: "changed", changed };
}

/** Revokes what `toolkeep trust` remembered of a project. `false` if there was nothing. */
export async function revokedTrust(project: string): Promise<boolean> {
  const store = trustStore();
  if ((await store.get(project)) === undefined) return false;
  await store.delete(project);
  return true;
}
