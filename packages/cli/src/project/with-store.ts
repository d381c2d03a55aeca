import { existsSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { readConfig } from "@toolkeep/node/internal";
import { openStore, type Store } from "@toolkeep/sqlite";
import { CommandError } from "../terminal/command-error.ts";
import { invalidConfig, storeFolderOf } from "./read-project.ts";

/** Opens the store of the user's configuration, or the one in a folder, calls `use`, and closes it. */
export async function withStore<Result>(
  cwd: string,
  use: (store: Store) => Result | Promise<Result>,
  folder?: string,
): Promise<Result> {
  const store = openStore({
    path: folder === undefined ? await configuredFolder(cwd) : existing(folder, cwd),
  });
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

async function configuredFolder(cwd: string): Promise<string> {
  const { config, diagnostics } = await readConfig({ cwd });
  if (config === undefined) throw invalidConfig("the session store cannot be located", diagnostics);
  return storeFolderOf(config);
}

const DATABASE = "toolkeep.db";

/** A store that is read must exist: opening it would create it. @throws CommandError */
function existing(folder: string, cwd: string): string {
  const named = resolve(cwd, folder);
  const path = basename(named) === DATABASE ? dirname(named) : named;
  if (existsSync(join(path, DATABASE))) return path;
  throw new CommandError(`There is no session store in ${path}.`, {
    hint: "Give the folder that the application passes to `openStore({ path })`.",
  });
}
