import { expression, NAMED_PLACES as table, wordsIn } from "@toolkeep/catalog/internal";

/** To do this to a top folder is to do it to everything. */
export const SWEEPING = wordsIn(table.sweeping);

export const CHANGING = wordsIn(table.changing);

/** A slash or a backslash alone names nothing: `// a comment`, `\\;`, `\\n`, `cut -d/`. */
export const PLACE =
  /^(?:~|\/+[\w.@+*-]|\\{2}[\w.@+-]+\\|[A-Za-z]:[/\\]|\.\.(?:[/\\]|$))|[/\\]\.\.(?:[/\\]|$)/;

/** Behind a colon a container's own folders are named, and behind its image a command that runs in it. */
export const HOST_PATH = expression(table.hostPath);

/** Commands whose purpose is to show a secret. */
export const PRINTS_CREDENTIALS = expression(table.printsCredentials);
