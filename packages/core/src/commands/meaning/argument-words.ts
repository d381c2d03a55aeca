import {
  expression,
  expressionsIn,
  rowsByName,
  ARGUMENT_WORDS as table,
  wordsIn,
} from "@toolkeep/catalog/internal";

/** Programs that use names of files without reading the files. */
export const NAMING = wordsIn(table.naming);

/** Programs whose first plain word is no file but what to look for. */
export const SEARCHING = wordsIn(table.searching);
/** Options that do not take the next word, so that the first plain word is what is searched for. */
export const BEFORE_PATTERN = expression(table.beforePattern);

/** Options that do take the next word, or the rest of theirs. */
export const VALUED_BEFORE_PATTERN = rowsByName(table.valuedBeforePattern, expression);

/** Subcommands of these programs that take prose, and in which words, by what comes first. */
export const MESSAGES_OF = rowsByName(table.messagesOf, wordsIn);
export const MESSAGES = rowsByName(table.messages, expressionsIn);

/** References to environment variables; no file has such a name. */
export const IN_CODE = new Set(["process.env", "import.meta.env", "meta.env"]);
/** `settings.env` and `event.key` in code are no files. */
export const PROPERTY = /^[\w$]+(?:\.[\w$]+)*\.(?:key|env)$/;
