import { expression, listIn, rowsByName, SERVER_RUNNERS as table } from "@toolkeep/catalog/internal";

/** Programs that fetch a package and start it, with the subcommands that do so. Without any, they always do. */
export const RUNNERS = rowsByName(table.fetching, listIn);

export const PYTHON = expression(table.anyPython);

/** They start what follows on another system. */
export const ELSEWHERE = expression(table.elsewhere);

export const FETCHED = /^(?:npm|jsr|https?):/;

/** Options before a subcommand may have values. */
export const MOST_OPTIONS = 8;
