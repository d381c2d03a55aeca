import { noSandbox, openWorkspace, type Workspace } from "@toolkeep/node";
import { openSqliteStore, type SqliteStore } from "@toolkeep/sqlite";
import type { Project } from "../read-project.ts";
import { sweepDaily } from "./sweep-store.ts";

/** The workspace and the store of a project. */
export interface OpenProject {
  readonly workspace: Workspace;
  readonly store: SqliteStore;
  close(): Promise<void>;
}

/**
 * Opens the workspace and the store of a project. The workspace runs no commands: clients and servers start their
 * own processes outside of our sandbox, and the policy is told so. The journal survives the end of this process; a
 * power loss may lose its last moments.
 */
export async function openProject({ root, config, storeFolder }: Project): Promise<OpenProject> {
  const store = openSqliteStore({ path: storeFolder, durability: "normal" });
  try {
    await sweepDaily(store, config);
    const workspace = await openWorkspace({
      roots: [root, ...config.roots],
      adHoc: config.files,
      catalog: config.catalog,
      sandbox: noSandbox(),
      store,
    });
    return {
      workspace,
      store,
      async close() {
        await workspace.close();
        await store.close();
      },
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}
