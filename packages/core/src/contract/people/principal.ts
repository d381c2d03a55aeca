/**
 * On whose behalf calls are made. The host application verifies it; it is never taken from arguments, results or
 * metadata of servers. It is a whole: a turn that names another principal takes over where the session runs (`agent`,
 * `environment`, `workspace`), and nothing of who it runs for.
 */
export interface Principal {
  readonly user?: string;
  readonly groups?: readonly string[];
  /** The organization or customer that the user acts for. */
  readonly tenant?: string;
  readonly agent?: string;
  /** Where this runs, e.g. `production`. */
  readonly environment?: string;
  /** Told to hooks, and asked by role flags. */
  readonly role: string;
  readonly workspace: string;
}

/** The fields of a principal, in the order in which they are written. */
export const PRINCIPAL_FIELDS = [
  "user",
  "groups",
  "tenant",
  "agent",
  "environment",
  "role",
  "workspace",
] as const satisfies readonly (keyof Principal)[];

/** The role of a principal that names none. */
export const DEFAULT_ROLE = "agent";

/** What an approval is bound to. Not the agent and not the workspace: a subagent shares the approvals of its parent. */
export function principalKey({ user, groups = [], tenant, role, environment }: Principal): string {
  return JSON.stringify([user, [...new Set(groups)].toSorted(), tenant, role, environment]);
}

/** Who sends a token. The host application verifies tokens, such as those of an OpenID provider. */
export interface TokenAuthentication {
  /** The token is never passed on, and never part of a reason. If it rejects, the request is refused. */
  authenticate(token: string): Promise<Person | RefusedToken>;
}

/** A person whose token is valid. */
export interface Person {
  /** The same for every token of this person, whatever else it says. */
  readonly id: string;
  /**
   * With the `user` that calls and answers are recorded for. Whole: nothing of it comes from a session, and another
   * principal of the same person has another session.
   */
  readonly principal: Partial<Principal>;
  /** Other names of the same person as a requester, such as an account or an e-mail address. */
  readonly users?: readonly string[];
  /** Until when the token is valid, in milliseconds since the epoch. Streams end then. */
  readonly expiresAt?: number;
}

/** Why a token is not accepted. */
export interface RefusedToken {
  /** `forbidden`: it is valid, and does not permit enough. `unavailable`: it cannot be verified now. */
  readonly refused: "invalid" | "forbidden" | "unavailable";
  /** A sentence for the client, without anything of the token. */
  readonly reason: string;
}
