import { lstat } from "node:fs/promises";
import { directories } from "@toolkeep/node/internal";
import type { HookClientName } from "../../clients/hook-call.ts";
import { INSTALL_CLIENTS, type InstallClientName } from "../../clients/install-client.ts";
import type { InstalledHooks } from "../../clients/installed/installed-hooks.ts";
import type { Project } from "../../project/read-project.ts";
import type { HookStores } from "../decide/conversation/hook-stores.ts";

const LOOK_MS = 2_000;
const MOST_WATCHED = 64;

interface Watched {
  readonly hooks: InstalledHooks;
  /** Where it is reported. */
  readonly state: string;
  readonly storeFolder: string;
  stamp?: string;
  /** Whether the hooks were missing at the last look. */
  isMissing: boolean;
  isReported: boolean;
}

/**
 * Watches whether the hooks of this user's installations stay in place. An agent that rewrites the settings of its
 * client switches them off, and then nothing of that client reaches us any more.
 */
export class HookWatch {
  readonly #watched = new Map<string, Watched>();
  /** The state folders whose installations are watched. */
  readonly #states = new Set<string>();
  readonly #stores: HookStores;
  readonly #timer: NodeJS.Timeout;
  #isLooking = false;

  constructor(stores: HookStores) {
    this.#stores = stores;
    this.#timer = setInterval(() => void this.#look(), LOOK_MS).unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** Watches the installation that a request came from, and at first all of this user. Runs as the caller. Never throws. */
  async add(
    client: HookClientName,
    { root, storeFolder }: Pick<Project, "root" | "storeFolder">,
  ): Promise<void> {
    try {
      const { state } = directories();
      const name = INSTALL_CLIENTS.find((one) => one === client);
      if (name !== undefined) await this.#watch(name, root, { state, storeFolder });
      if (this.#states.has(state)) return;
      this.#states.add(state);
      const { installedProjects } = await import("../../clients/installed/installed-projects.ts");
      for (const { client: other, project } of (await installedProjects()).slice(0, MOST_WATCHED - 1))
        await this.#watch(other, project, { state, storeFolder });
    } catch {
      // It watches over others, and must not be in the way of a decision.
    }
  }

  async #watch(
    client: InstallClientName,
    project: string,
    reporting: Pick<Watched, "state" | "storeFolder">,
  ): Promise<void> {
    const key = JSON.stringify([client, project, reporting.state]);
    const known = this.#watched.get(key);
    this.#watched.delete(key);
    const { installedHooks } = await import("../../clients/installed/installed-hooks.ts");
    const fresh = () => ({ hooks: installedHooks(client, project), isMissing: false, isReported: false });
    this.#watched.set(key, known ?? { ...reporting, ...fresh() });
    const [oldest] = this.#watched.keys();
    if (this.#watched.size > MOST_WATCHED && oldest !== undefined) this.#watched.delete(oldest);
  }

  async #look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    for (const one of [...this.#watched.values()]) await this.#lookAt(one).catch(() => undefined);
    this.#isLooking = false;
  }

  async #lookAt(one: Watched): Promise<void> {
    const stamp = await stampOf(one.hooks);
    if (stamp === one.stamp && (!one.isMissing || one.isReported)) return;
    const { missingHooks } = await import("../../clients/installed/installed-hooks.ts");
    const file = await missingHooks(one.hooks);
    const wasMissing = one.isMissing;
    one.isMissing = file !== undefined;
    one.stamp = stamp;
    if (file === undefined) one.isReported = false;
    // Another look first: `install` and `uninstall` write the file and then the record.
    if (file === undefined || !wasMissing || one.isReported) return;
    one.isReported = true;
    await this.#report(one, file);
  }

  async #report({ hooks: { client, project }, state, storeFolder }: Watched, file: string): Promise<void> {
    const { addRemovedHooks } = await import("../../clients/installed/removed-hooks.ts");
    const removed = { client, project, file, at: Date.now() };
    if (!(await addRemovedHooks(state, removed))) return;
    const { recordRemovedHooks } = await import("../../clients/installed/recorded-removal.ts");
    await this.#stores.use(storeFolder, (store) => recordRemovedHooks(removed, store));
  }
}

/** Changes when one of the files is written or replaced. A disk that does not answer holds up nothing but the next look. */
async function stampOf({ record, paths, switches }: InstalledHooks): Promise<string> {
  const stamps: string[] = [];
  for (const path of [record, ...paths.values(), ...switches]) {
    const found = await lstat(path).catch(() => undefined);
    stamps.push([found?.dev, found?.ino, found?.size, found?.mtimeMs, found?.ctimeMs].join(" "));
  }
  return stamps.join("\n");
}
