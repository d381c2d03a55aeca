import { noSandbox, openWorkspace, type Workspace } from "@toolkeep/node";
import { openStore, type Store } from "@toolkeep/sqlite";
import type { Project } from "./read-project.ts";

/** A project that calls are decided in. */
export interface OpenProject {
  readonly workspace: Workspace;
  readonly store: Store;
  close(): Promise<void>;
}

/**
 * Opens the workspace and the store of a project. No command is ever run through it: what clients and servers
 * start has no walls of ours around it, and policy is told so. What is written survives the end of this process; a loss
 * of power may take the last moments.
 */
export async function openProject({ root, config, storeFolder }: Project): Promise<OpenProject> {
  const store = openStore({ path: storeFolder, durability: "normal" });
  try {
    const workspace = await openWorkspace({
      roots: [root, ...config.roots],
      adHoc: config.files,
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
