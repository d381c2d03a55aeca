import { expression, MACHINE_PROGRAMS as table, wordsIn } from "@toolkeep/catalog/internal";

/** Programs that work with this machine's processes, services, accounts or keys: in a sandbox they only fail. */
export const OF_MACHINE = wordsIn(table.ofMachine);

/** Programs that look at processes and ports, or end them. */
export const OF_PROCESSES = wordsIn(table.ofProcesses);

export const REMOTE_GIT = wordsIn(table.remoteGit);

export const REQUESTING = wordsIn(table.requesting);

export const RUNNERS = wordsIn(table.runners);

/** Servers that the user, a browser or another command wants to reach. */
export const SERVING = expression(table.serving);

/** Ends with a single `&`: what it starts is to go on afterwards. */
export const IN_BACKGROUND = /(?:^|[^&>|<\\])&\s*$/;
