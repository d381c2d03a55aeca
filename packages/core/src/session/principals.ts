import { DEFAULT_ROLE, PRINCIPAL_FIELDS, type Principal } from "../contract/people/principal.ts";
import type { Journal } from "../contract/store/store.ts";
import { defined } from "../contract/values/defined.ts";
import { assertKnownKeys, invalidOption, ToolkeepError } from "../contract/values/error.ts";
import type { TurnRecord } from "../pipeline/record/turn-record.ts";
import type { Redactor } from "../redaction/redactor.ts";

/** Where a principal acts, and not who it is. */
type Place = Pick<Principal, "agent" | "environment" | "workspace">;

const MAIN: Place = Object.freeze({ workspace: "main" });
const CONTROL = /\p{Cc}/u;

/**
 * A whole principal, frozen: what is not given is not there, except for where it acts. It has no prototype, so that no
 * property can come from anywhere else.
 * @throws ToolkeepError `invalid_option` for an unknown field, and for a value that is not a name.
 */
export function principalOf(given: Partial<Principal> = {}, place: Place = MAIN): Principal {
  assertKnownKeys(given, PRINCIPAL_FIELDS, "field of `principal`");
  const { agent, environment, workspace } = place;
  const all: Partial<Principal> = { ...defined({ agent, environment, workspace }), ...defined(given) };
  const made: Record<string, unknown> = Object.create(null);
  for (const field of PRINCIPAL_FIELDS) {
    const value = all[field] ?? (field === "role" ? DEFAULT_ROLE : undefined);
    if (value === undefined) continue;
    made[field] = field === "groups" ? namesOf(value) : nameOf(field, value);
  }
  return Object.freeze(made) as unknown as Principal;
}

function namesOf(groups: unknown): readonly string[] {
  if (!Array.isArray(groups)) throw invalid("groups", "a list of names");
  return Object.freeze(groups.map((group: unknown) => nameOf("groups", group)));
}

function nameOf(field: string, value: unknown): string {
  if (typeof value !== "string" || CONTROL.test(value)) throw invalid(field, "a text on one line");
  return value;
}

function invalid(field: string, what: string): ToolkeepError {
  return invalidOption(`The field \`${field}\` of \`principal\` must be ${what}.`);
}

/** The same principal as another agent. */
export function asAgent(principal: Principal, agent: string): Principal {
  return principalOf({ ...principal, agent });
}

interface Within {
  /** The principal of the session. */
  readonly own: Principal;
  readonly redactor: Redactor;
}

/** The principal that a turn names, or the session's. @throws ToolkeepError `invalid_option` if it cannot be recorded. */
export function turnPrincipal(given: Partial<Principal> | undefined, { own, redactor }: Within): Principal {
  if (given === undefined) return own;
  const principal = principalOf(given, own);
  if (textOf(principal) === textOf(own)) return own;
  const holdsSecret = Object.values(principal)
    .flat()
    .some((name: string) => redactor.find(name).length > 0);
  if (!holdsSecret) return principal;
  throw invalidOption("The principal holds a secret. Use another name.");
}

/** When a session was opened last before this process opened it, and for whom. */
export interface OpenedBefore {
  readonly seq: number;
  readonly principal?: Principal;
  /** The names of the agents from the root to it; empty or missing for a root. */
  readonly agents?: readonly string[];
}

/** What is known of when a session was opened. */
export interface Opened {
  /** The first event that this process recorded. */
  readonly seq: number;
  readonly before: OpenedBefore | undefined;
}

interface Life extends Within {
  readonly journal: Journal;
  readonly opened: Opened;
}

/** A name that was recorded without what was taken for a secret in it: it could be anybody's. */
const REPLACED = /\[redacted:/;

/**
 * The principal of a turn that continues: the one that it was begun for, whatever the session is opened for now.
 * @throws ToolkeepError `invalid_option` if another one is given, `turn_unknown` if the journal does not say it any more.
 */
export async function recordedPrincipal(
  turnId: string,
  record: TurnRecord,
  { given, ...life }: Life & { readonly given: Partial<Principal> | undefined },
): Promise<Principal> {
  const found = await begunFor(record, life);
  const name = JSON.stringify(turnId);
  if (found === undefined) {
    const why = "the journal does not say any more on whose behalf it was begun";
    throw new ToolkeepError("turn_unknown", `The turn ${name} cannot continue: ${why}.`);
  }
  // What the session is opened with may hold a secret, which is not in the record.
  const isOwn = writtenText(life) === textOf(found);
  if (!isOwn && REPLACED.test(textOf(found))) {
    const why = "the name of the principal that it was begun for was replaced in the journal";
    throw new ToolkeepError("turn_unknown", `The turn ${name} cannot continue: ${why}.`);
  }
  const principal = isOwn ? life.own : principalOf(found, found);
  if (given === undefined || textOf(principalOf(given, principal)) === textOf(principal)) return principal;
  throw invalidOption(
    `The turn ${name} was begun on behalf of another principal, and continues on behalf of that one. Leave \`principal\` out.`,
  );
}

async function begunFor(
  { principal, startSeq = 0 }: TurnRecord,
  { own, journal, opened: { seq, before } }: Life,
): Promise<Principal | undefined> {
  if (principal !== undefined) return principal;
  if (startSeq >= seq) return own;
  if (before !== undefined && startSeq > before.seq) return before.principal;
  let found: Principal | undefined;
  for await (const event of journal.read({ types: ["session-open"] })) {
    if (event.seq > startSeq) break;
    if (event.type === "session-open") found = event.principal;
  }
  return found;
}

/** The session's principal as the journal has it. */
function writtenText({ own, redactor }: Within): string {
  return JSON.stringify(
    PRINCIPAL_FIELDS.map((field) => {
      const value = own[field];
      if (value === undefined) return value;
      return typeof value === "string" ? redactor.redact(value) : value.map((name) => redactor.redact(name));
    }),
  );
}

function textOf(principal: Principal): string {
  return JSON.stringify(PRINCIPAL_FIELDS.map((field) => principal[field]));
}
