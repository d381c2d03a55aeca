import type { TestProject } from "vitest/node";
import { findPostgres, startPostgres } from "./postgres-server.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** The server that all files of a run share; empty where PostgreSQL is not installed. */
    readonly postgresUrl: string;
  }
}

/** Starts one server for all files of a run. */
export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  if (findPostgres() === undefined) {
    console.warn("skipped the tests on PostgreSQL: install it with `apt-get install postgresql`");
    project.provide("postgresUrl", "");
    return undefined;
  }
  const server = await startPostgres();
  project.provide("postgresUrl", server.url);
  return async () => server[Symbol.asyncDispose]();
}
