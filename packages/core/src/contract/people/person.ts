import type { Principal } from "./principal.ts";

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
