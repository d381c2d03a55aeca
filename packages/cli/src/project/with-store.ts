import { readConfig } from "@toolkeep/node";
import { openStore, type Store } from "@toolkeep/sqlite";
import { invalidConfig, storeFolderOf } from "./read-project.ts";

/** Opens the store of the user's configuration, calls `use`, and closes it. */
export async function withStore<Result>(
  cwd: string,
  use: (store: Store) => Result | Promise<Result>,
): Promise<Result> {
  const { config, diagnostics } = await readConfig({ cwd });
  if (config === undefined) throw invalidConfig("the session store cannot be located", diagnostics);
  const store = openStore({ path: storeFolderOf(config) });
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}
