import { openStore, readConfig, type Store } from "@toolkeep/node";
import { invalidConfig, storeFolderOf } from "./read-project.ts";

/** Opens the store of the user's configuration, calls `use`, and closes it. */
export async function withStore<Result>(
  cwd: string,
  use: (store: Store) => Result | Promise<Result>,
): Promise<Result> {
  const { config, diagnostics } = await readConfig({ cwd });
  if (config === undefined) throw invalidConfig("the session store cannot be located", diagnostics);
  const store = openStore(storeFolderOf(config));
  try {
    return await use(store);
  } finally {
    store.close();
  }
}
