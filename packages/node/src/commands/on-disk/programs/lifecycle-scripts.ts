import { listIn, rowsByName, LIFECYCLE_SCRIPTS as table, wordsIn } from "@toolkeep/catalog/internal";

export const MANAGERS = wordsIn(table.managers);

export const HOOK_FOLDER = /(?:^|\/)(?:\.husky|\.githooks|\.git\/hooks)\//;

/** What installing, packing and the like run by themselves. */
export const LIFECYCLE = rowsByName(table.scripts, listIn);

export const OTHERS = wordsIn(table.others);
