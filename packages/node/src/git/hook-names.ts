import { GIT_HOOKS, listIn, rowsByName } from "@toolkeep/catalog/internal";

/** The hooks that a command of git may run, by its subcommand (githooks(5)). */
export const HOOKS = rowsByName(GIT_HOOKS, listIn);
