import type { IncomingMessage } from "node:http";
import type { PersonRequest, Principal } from "@toolkeep/core";
import { mayBeSamePerson, unlessThrown } from "@toolkeep/core/internal";
import type { Person, RefusedToken, TokenAuthentication } from "@toolkeep/core/ports";
import { HttpError } from "./http-error.ts";

/** Whether a person may see and answer a request. If it throws, the person may not. */
export type MayAnswer = (principal: Partial<Principal>, request: PersonRequest) => boolean;

const STATUS = { invalid: 401, forbidden: 403, unavailable: 503 } as const;

/** Whose request it is. @throws HttpError if that is not known. */
export async function personOf(
  { headers }: IncomingMessage,
  authentication: TokenAuthentication,
): Promise<Person & { readonly user: string }> {
  const token = /^Bearer +([^\s]+)$/i.exec(headers.authorization ?? "")?.[1];
  if (token === undefined) throw new HttpError(401, "Send a token: `Authorization: Bearer …`.");
  const person = await verified(authentication, token);
  if ("refused" in person) throw new HttpError(STATUS[person.refused], person.reason);
  const { user } = person.principal;
  if (user === undefined || user === "") throw new HttpError(403, "The token does not name a user.");
  return { ...person, user };
}

async function verified(authentication: TokenAuthentication, token: string): Promise<Person | RefusedToken> {
  try {
    return await authentication.authenticate(token);
  } catch {
    return UNVERIFIED;
  }
}

const UNVERIFIED: RefusedToken = { refused: "unavailable", reason: "The token cannot be verified now." };

/** Whether the person may be the one who made the request. A request without a user was made by no one who signs in. */
export function isRequester(
  person: Person & { readonly user: string },
  { principal }: PersonRequest,
): boolean {
  const { user, id, users = [] } = person;
  return principal?.user !== undefined && mayBeSamePerson([user, id, ...users], principal.user);
}

/** People of one tenant see and answer the requests of that tenant alone, whatever else they may. */
export function isVisibleTo(
  { principal }: Pick<Person, "principal">,
  request: PersonRequest,
  mayAnswer: MayAnswer,
): boolean {
  // A question without a principal, of an earlier release, could be of any tenant.
  const asking = request.principal;
  if (asking === undefined || asking.tenant !== principal.tenant) return false;
  return unlessThrown(() => mayAnswer(principal, request) === true) ?? false;
}
