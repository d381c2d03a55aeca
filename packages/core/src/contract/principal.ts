/**
 * On whose behalf a session runs. The host application verifies it; it is never taken from arguments, results or
 * metadata of servers.
 */
export interface Principal {
  readonly user?: string;
  readonly groups?: readonly string[];
  readonly agent?: string;
  /** Where this runs, e.g. `production`. */
  readonly environment?: string;
  /** Told to hooks, and asked by role flags. */
  readonly role: string;
  readonly workspace: string;
}
