/**
 * What the rules deny on paths to the tool of a call, whatever its commands name. A command may touch more than its
 * args say, so a sandbox masks these paths. Paths are absolute and free of links.
 */
export interface PathDenies {
  /** What is denied on exactly this path; `undefined` for nothing. */
  at(path: string): DeniedAccess | undefined;
  /** What is denied on a folder and on everything that is or could be beneath it; `undefined` for nothing. */
  beneath(folder: string): DeniedAccess | undefined;
  /**
   * Whether a rule may deny something beneath a folder. Rules on names that every sandbox looks for by itself
   * (secrets to hide, auto-executed configuration to guard) are left out, so that they cost no second walk.
   */
  reaches(folder: string): boolean;
  /** Whether a rule names a folder such as `node_modules`, which is not looked into otherwise. */
  names(folder: string): boolean;
}

/** The rule that denies each access, as it is written. */
export interface DeniedAccess {
  readonly read?: string;
  readonly write?: string;
  readonly delete?: string;
}
