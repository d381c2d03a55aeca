/** Settings of a new repository. None of them names a program. */
export const PLAIN_SETTINGS: ReadonlyMap<string, RegExp> = new Map([
  [
    "core",
    /^(?:repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks)$/,
  ],
  ["remote", /^(?:url|fetch|tagopt)$/],
  ["branch", /^(?:remote|merge)$/],
  ["extensions", /^objectformat$/],
]);

/** What a new repository has in its folder. */
export const PLAIN_NAMES =
  /^(?:HEAD|FETCH_HEAD|ORIG_HEAD|COMMIT_EDITMSG|config|description|index|packed-refs|shallow|info|logs|objects|refs)$/;
