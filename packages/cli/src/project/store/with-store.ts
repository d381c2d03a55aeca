import { existsSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { nameProgram } from "@toolkeep/core/internal";
import { type Config, readConfig } from "@toolkeep/node/internal";
import { openSqliteStore, type SqliteStore } from "@toolkeep/sqlite";
import { CommandError } from "../../terminal/command-error.ts";
import { VERSION } from "../../terminal/version.ts";
import { invalidConfig, storeFolderOf } from "../read-project.ts";

/** Opens the store of the user's configuration, or the one in a folder, calls `use`, and closes it. */
export async function withStore<Result>(
  cwd: string,
  use: (store: SqliteStore) => Result | Promise<Result>,
  folder?: string,
): Promise<Result> {
  nameProgram({ name: "toolkeep", version: VERSION });
  const config = folder === undefined ? await readConfigured(cwd) : undefined;
  const store = openSqliteStore({
    path: config === undefined ? existing(folder ?? "", cwd) : storeFolderOf(config),
  });
  try {
    // Only the program's own store: an application decides how long it keeps its sessions.
    if (config?.journal.keepDays !== undefined) {
      const { sweepDaily } = await import("./sweep-store.ts");
      await sweepDaily(store, config);
    }
    return await use(store);
  } finally {
    await store.close();
  }
}

async function readConfigured(cwd: string): Promise<Config> {
  const reading = await readConfig({ cwd });
  const { config } = reading;
  if (config === undefined) throw invalidConfig("the session store cannot be located", reading);
  return config;
}

const DATABASE = "toolkeep.db";

/** A store that is read must exist: opening it would create it. @throws CommandError */
function existing(folder: string, cwd: string): string {
  const named = resolve(cwd, folder);
  const path = basename(named) === DATABASE ? dirname(named) : named;
  if (existsSync(join(path, DATABASE))) return path;
  throw new CommandError(`There is no session store in ${path}.`, {
    hint: "Give the folder that the application passes to `openSqliteStore({ path })`.",
  });
}
