/** A use of a retired word that stays, with the reason. All of what is given must match. */
export interface Exception {
  readonly reason: string;
  /** Of the file. */
  readonly paths?: RegExp;
  /** As it was found. */
  readonly word?: RegExp;
  /** The line it stands on. */
  readonly line?: RegExp;
}

/** Files that are not checked at all. */
export const UNCHECKED: readonly RegExp[] = [
  // Records of what was decided, in the words of their time.
  /^docs\/decisions\//,
  // The table of old names.
  /^docs\/old-names\.md$/,
  // The list itself, and the test that plants each kind.
  /^scripts\/words\/retired-words\.ts$/,
  /^scripts\/words\/exceptions\.ts$/,
  /^tests\/words\.test\.ts$/,
  // Written by other people or by programs.
  /(?:^|\/)(?:package-lock\.json|LICENSE)$/,
  // Options and subcommands have the names that their programs give them.
  /^packages\/catalog\/(?:programs\/.*|src\/compiled)\.json$/,
  /^tests\/catalog\/.*\.json$/,
];

/** Few, and each with its reason. */
export const EXCEPTIONS: readonly Exception[] = [
  { reason: "the Unix user", word: /^nobody$/i, line: /user(?:name)?:? ?[`"']?nobody|nobody:|uid|65534/i },
  { reason: "a range of the package ipaddr.js", word: /^carrierGradeNat$/ },
  { reason: "an option of compilers", word: /^Wall$/, line: /-Wall\b/ },
  { reason: "names of the MCP SDK", word: /^(?:getProtocolEra|EraNegotiationFailed)$/ },
  { reason: "an option of the MCP SDK", word: /^era$/, line: /\{ era: generation \}/ },
  { reason: "the name of a public data set", paths: /^benchmarks\/src\/tool-search\//, word: /^seal$/ },
  {
    reason: "the option `--confine` of `init`, and what it does: no stage of a call",
    paths:
      /^(?:packages\/cli\/|packages\/node\/src\/(?:sandbox|internal)|scripts\/day|tests\/|docs\/|benchmarks\/|README\.md|SECURITY\.md|AGENTS\.md|package\.json)/,
    word: /confin/i,
  },
  {
    reason: "payment cards, and the unseal keys of Vault, among secrets",
    paths: /^(?:packages\/core\/src\/redaction|tests\/redaction)\//,
    word: /card|^unseal$/i,
  },
  { reason: "a bank card, in forms that ask for its number", word: /^card$/, line: /credit card/ },
];
