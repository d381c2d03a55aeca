import { COMMIT_2 } from "./commit-2.ts";

/** Version 2 of the schema: a commit that costs less. Processes of version 1 that still run use the one before. */
export const SCHEMA_2: readonly string[] = [COMMIT_2];
