/** Programs that use names of files without reading the files. */
export const NAMING = new Set(
  "echo printf ls test [ [[ stat basename dirname realpath readlink which type mkdir true :".split(" "),
);

/** Programs whose first plain word is no file but what to look for. */
export const SEARCHING = new Set(["grep", "egrep", "fgrep", "rg", "ag", "ack", "jq", "yq"]);
/** Options that do not take the next word, so that the first plain word is what is searched for. */
export const BEFORE_PATTERN =
  /^(?:-[abcdhilnopqrsvwxzABCEFHILPRSU\d]+|--(?!re|fi)[a-z-]+=.*|--(?:recursive|hidden|line-number|ignore-case|count))$/s;

/** Options that do take the next word, or the rest of theirs. */
export const VALUED_BEFORE_PATTERN: Readonly<Record<string, RegExp>> = {
  rg: /^(?:-[bcFHhiLlNnopqSsUuvwxz]*[ABCgjMmTt]|--(?:glob|iglob|type|type-not|max-count|max-columns|context|after-context|before-context)$)/,
  grep: /^(?:-[abcEFHhiIlLnoPqrRsvwxz]*[ABCm]|--(?:max-count|context|after-context|before-context)$)/,
};

/** Which words of these programs take prose, by what comes first. */
export const MESSAGES: Readonly<Record<string, MessageOptions>> = {
  git: {
    subcommands: new Set(["commit", "tag", "merge", "stash"]),
    option: /^(?:-[a-zA-Z]*m|--message)$/,
    joined: /^(?:-m.|--message=)/s,
  },
  gh: {
    subcommands: new Set(["pr", "issue"]),
    option: /^(?:-[bt]|--(?:title|body))$/,
    joined: /^--(?:title|body)=/,
  },
};

export interface MessageOptions {
  readonly subcommands: ReadonlySet<string>;
  readonly option: RegExp;
  readonly joined: RegExp;
}

/** References to environment variables; no file has such a name. */
export const IN_CODE = new Set(["process.env", "import.meta.env", "meta.env"]);
/** `settings.env` and `event.key` in code are no files. */
export const PROPERTY = /^[\w$]+(?:\.[\w$]+)*\.(?:key|env)$/;
