import { readConfig } from "@toolkeep/node";
import { openStore, type Store } from "@toolkeep/sqlite";
import { CommandError } from "../terminal/command-error.ts";
import { storeFolderOf } from "./read-project.ts";

/** Opens the store that the user's configuration names, for as long as something is done with it. */
export async function withStore<Result>(
  cwd: string,
  use: (store: Store) => Result | Promise<Result>,
): Promise<Result> {
  const { config } = await readConfig({ cwd });
  if (config === undefined) {
    throw new CommandError("The configuration is not right, so nobody knows where sessions are kept.", {
      hint: "Mend the user's configuration file; `toolkeep gateway` says what is wrong with it.",
    });
  }
  const store = openStore({ path: storeFolderOf(config) });
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}
