import type { IncomingMessage, ServerResponse } from "node:http";
import {
  type GivenAnswer,
  type PersonRequest,
  type SessionStore,
  ToolkeepError,
  type WaitingRequest,
} from "@toolkeep/core";
import { isRejection, unknownKey } from "@toolkeep/core/internal";
import type { ChangedRequest, RequestRef } from "@toolkeep/core/journal";
import type { Person, TokenAuthentication } from "@toolkeep/core/ports";
import { EventStream } from "./event-stream.ts";
import { givenAnswer } from "./given-answer.ts";
import { HttpError } from "./http-error.ts";
import { readJson, sendJson } from "./json-messages.ts";
import { isRequester, isVisibleTo, type MayAnswer, personOf } from "./people.ts";
import type { WaitingWatch } from "./waiting-watch.ts";

/** What requests are served with. */
export interface RouteParts {
  readonly store: SessionStore;
  readonly authentication: TokenAuthentication;
  readonly mayAnswer: MayAnswer;
  readonly mayAnswerOwn: MayAnswer;
  readonly watch: WaitingWatch;
  readonly streams: Set<EventStream>;
}

const MOST_LISTED = 1_000;

/** Serves one request. Every address needs a token. */
export async function serve(req: IncomingMessage, res: ServerResponse, parts: RouteParts): Promise<void> {
  try {
    const person = await personOf(req, parts.authentication);
    const { pathname, searchParams } = addressOf(req);
    const route = `${req.method} ${pathname}`;
    if (route === "GET /requests") await list(res, person, searchParams, parts);
    else if (route === "GET /events") await stream(res, person, parts);
    else if (route === "POST /answers") await answer(req, res, person, parts);
    else throw new HttpError(404, "There are GET /requests, GET /events and POST /answers.");
  } catch (error) {
    if (res.headersSent) {
      res.destroy();
      return;
    }
    // What is wrong inside is not told to clients.
    if (error instanceof HttpError) sendJson(res, error.status, { error: error.message });
    else sendJson(res, 503, { error: "The store does not answer. Try again." });
  }
}

function addressOf({ url = "/" }: IncomingMessage): URL {
  const address = URL.parse(url, "http://localhost");
  if (address === null) throw new HttpError(400, "The address of the request cannot be read.");
  return address;
}

async function list(
  res: ServerResponse,
  person: Person,
  query: URLSearchParams,
  { store, mayAnswer }: RouteParts,
): Promise<void> {
  const sessionId = query.get("session");
  const limit = Math.min(Number(query.get("limit") ?? MOST_LISTED), MOST_LISTED);
  if (!Number.isInteger(limit) || limit < 1) throw new HttpError(400, "`limit` must be a number above 0.");
  const changed: ChangedRequest[] = [];
  const waiting = await store.waiting({
    ...(sessionId === null ? {} : { sessionId }),
    onChanged: (one) => changed.push(one),
  });
  const shown = waiting.filter(({ request }) => isVisibleTo(person, request, mayAnswer));
  const refused = changed
    .filter(({ recorded }) => recorded !== undefined && isVisibleTo(person, recorded, mayAnswer))
    .map(({ recorded: _recorded, ...rest }) => rest);
  sendJson(res, 200, {
    ...{ requests: shown.slice(0, limit), total: shown.length },
    ...(refused.length === 0 ? {} : { refused }),
  });
}

async function stream(res: ServerResponse, person: Person, parts: RouteParts): Promise<void> {
  const { watch, mayAnswer, streams } = parts;
  await watch.look();
  const events = new EventStream(res, person.expiresAt);
  streams.add(events);
  const isShown = ({ request }: WaitingRequest) => isVisibleTo(person, request, mayAnswer);
  let stop: (() => void) | undefined;
  const end = () => {
    stop?.();
    streams.delete(events);
  };
  try {
    stop = await watch.listen({
      began: (waiting) => void (isShown(waiting) && events.send("waiting", waiting)),
      ended: (waiting) =>
        void (
          isShown(waiting) && events.send("settled", { sessionId: waiting.sessionId, id: waiting.request.id })
        ),
    });
  } finally {
    if (stop === undefined || res.closed) end();
    else res.once("close", end);
  }
}

async function answer(
  req: IncomingMessage,
  res: ServerResponse,
  person: Person & { readonly user: string },
  parts: RouteParts,
): Promise<void> {
  const { store, watch } = parts;
  const { sessionId, id, answer: given, key, ...rest } = await readJson(req);
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined)
    throw new HttpError(400, unknownKey(unknown, ["sessionId", "id", "answer", "key"], "field"));
  if (typeof sessionId !== "string" || typeof id !== "string")
    throw new HttpError(400, "`sessionId` and `id` must be those of the request.");
  if (key !== undefined && typeof key !== "string") throw new HttpError(400, "`key` must be a text.");
  const request = await answerable({ sessionId, id }, person, parts);
  const answered = givenAnswer(given, request, person.user);
  assertOther(person, request, answered, parts);
  await store.answer({ sessionId, id }, answered, key === undefined ? {} : { key }).catch(rejectedByStore);
  sendJson(res, 202, { status: "left for the session" });
  await watch.look().catch(() => undefined);
}

/** The request that a person may see and answer. @throws HttpError. */
async function answerable(
  { sessionId, id }: RequestRef,
  person: Person,
  { store, mayAnswer }: RouteParts,
): Promise<PersonRequest> {
  let changed: ChangedRequest | undefined;
  const onChanged = (one: ChangedRequest) => {
    if (one.id === id) changed = one;
  };
  const found = (await store.waiting({ sessionId, onChanged })).find(({ request }) => request.id === id);
  const request = found?.request ?? changed?.recorded;
  // The same for what exists and may not be seen.
  if (request === undefined || !isVisibleTo(person, request, mayAnswer))
    throw new HttpError(404, "No such request waits for you: it may be answered, withdrawn or expired.");
  if (changed === undefined) return request;
  const advice = `The database was changed. The administrator can call \`store.verify(${JSON.stringify(sessionId)})\`.`;
  throw new HttpError(409, `This request cannot be answered: ${changed.reason}. ${advice}`);
}

/** A person may reject a request of their own and answer its questions, and approve it where the service says so. */
function assertOther(
  person: Person & { readonly user: string },
  request: PersonRequest,
  answer: GivenAnswer,
  { mayAnswerOwn }: RouteParts,
): void {
  if ("questions" in request || isRejection(answer)) return;
  const signer = "statement" in answer ? answer.statement.approver : undefined;
  const isOwn =
    isRequester(person, request) ||
    (typeof signer === "string" && isRequester({ ...person, user: signer, id: signer, users: [] }, request));
  if (!isOwn || isVisibleTo(person, request, mayAnswerOwn)) return;
  throw new HttpError(
    403,
    `This request was made for ${request.principal.user}, who cannot approve it. Another person must approve it, or you reject it.`,
  );
}

/** What the store refuses is the client's mistake. */
function rejectedByStore(error: unknown): never {
  if (ToolkeepError.isInstance(error) && error.code === "answer_refused")
    throw new HttpError(409, error.message);
  throw error;
}
