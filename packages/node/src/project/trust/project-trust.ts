import { realpath, stat } from "node:fs/promises";
import { isProtectedName } from "@toolkeep/core/internal";
import { ownershipError } from "../../owned-files/ownership-error.ts";
import { codeOf } from "../../owned-files/read-owned-file.ts";
import { goneIn, holdsAll, type Kept, keptIn, keptOf, stillKept } from "./kept-files.ts";
import {
  nameOfThing,
  type Survey,
  type Surveyed,
  type SurveyOptions,
  surveyProject,
} from "./survey-project.ts";
import { type TrustedProject, type TrustStore, trustStore } from "./trust-store.ts";

/** `trust` is remembered, `once` lasts as long as this object, `decline` too and loads nothing. */
export type TrustAnswer = "trust" | "once" | "decline";

/** What a person is asked. Nothing of a new project has been read when it is put. */
export interface TrustRequest {
  /** The canonical path: where links really lead. */
  readonly project: string;
  /** Whether it is asked for the first time, or why it is asked again. */
  readonly why: "new" | "grown" | "changed" | "unclear";
  /** Which things are new or different since it was trusted. */
  readonly things: readonly string[];
}

export interface ProjectTrustOptions {
  /** Where trust is remembered. Default: a file of the user. */
  readonly store?: TrustStore;
  /** Asks the user. Default: there is no user, and every new project is declined. */
  decide?(request: TrustRequest): TrustAnswer | Promise<TrustAnswer>;
  /**
   * When a trusted project is asked about again: when things were added, or also when any of them changed. Default:
   * `grown`. Files that are not protected names, so that commands can write to them, are asked about either way.
   */
  readonly again?: "grown" | "changed";
  /** Users whose projects may be trusted in addition to this user's and root's. */
  readonly owners?: readonly number[];
}

export type TrustVerdict =
  | {
      readonly isTrusted: true;
      readonly project: string;
      /**
       * Whether a file with this hash is among what was trusted. Code that runs or applies a file checks this before,
       * and passes it as `more` if it is not. Default: every file is.
       */
      covers?(path: string, hash: string): boolean;
    }
  | {
      readonly isTrusted: false;
      readonly project: string;
      readonly reason: string;
      /** For a project that was trusted before: what it forbade then still applies. */
      readonly known?: KnownProject;
    };

/** What remains of the trust in a project that has changed since. */
export interface KnownProject {
  /** Which things are new or different. */
  readonly things: readonly string[];
  /** Whether a file was among what was trusted, under its name. */
  names(path: string): boolean;
  /** Whether a file with this hash is among what was trusted. */
  covers(path: string, hash: string): boolean;
  /** The text of auto-executed files then, if commands could have written to them: by path. */
  readonly kept: ReadonlyMap<string, string>;
}

/** Decides whether anything of a project may be read. One for a session. */
export interface ProjectTrust {
  /**
   * Asks the user if needed. Never throws: a project that cannot be read is not trusted, with the reason. `more` gives
   * files that would be run or applied in addition to those that are always checked: by path, with a hash. It is called
   * only once the project is trusted.
   */
  of(project: string, more?: () => Promise<ReadonlyMap<string, string>>): Promise<TrustVerdict>;
  /**
   * Keeps the text of auto-executed files, so that it is known what they forbade when they change: by path. Only for a
   * trusted project, and with texts that its verdict covers.
   */
  keep(project: string, files: ReadonlyMap<string, string>): Promise<void>;
  /** Forgets what was answered, here and in the store. */
  revoke(project: string): Promise<void>;
}

/**
 * Creates the trust in projects. It is remembered for one canonical path, never for a folder beneath or above it,
 * together with the names of the things that would be run or applied.
 *
 * @example
 * const trust = createProjectTrust({ decide: async ({ project }) => ((await confirm(project)) ? "trust" : "decline")
 * });
 */
export function createProjectTrust(options: ProjectTrustOptions = {}): ProjectTrust {
  const { store = trustStore() } = options;
  const session: Answers = { once: new Map(), declined: new Set() };
  const inTurn = turnsByKey();
  return {
    async of(project, more) {
      const found = await canonicalProject(project, options.owners);
      if (found.error !== undefined) return declined(project, found.error);
      const settled = { ...options, store, ...(more === undefined ? {} : { more }) };
      // One after the other: what the user answers to the first question, the next one need not ask.
      return inTurn(found.path, () => evaluate(found.path, settled, session)).catch((error: unknown) =>
        declined(found.path, `its trust cannot be looked up (${codeOf(error)})`),
      );
    },
    async keep(project, files) {
      const kept = keptOf(project, files, options);
      if (kept === undefined) return;
      await inTurn(project, async () => {
        const record = await store.get(project);
        if (record === undefined || holdsAll(record.kept, kept)) return;
        await store.set(project, { ...record, kept: { ...record.kept, ...kept } }, record.at);
      });
    },
    async revoke(project) {
      const { path } = await canonicalProject(project, options.owners);
      session.once.delete(path);
      session.declined.delete(path);
      await store.delete(path);
    },
  };
}

/** What was answered in this session and is not stored. */
interface Answers {
  readonly once: Map<string, Survey>;
  readonly declined: Set<string>;
}

type Settled = ProjectTrustOptions & SurveyOptions & { readonly store: TrustStore };

async function evaluate(project: string, options: Settled, session: Answers): Promise<TrustVerdict> {
  const record = await options.store.get(project);
  const known = session.once.get(project) ?? record?.things;
  const isDeclined = session.declined.has(project);
  const now = known === undefined ? undefined : await surveyProject(project, options);
  const request: TrustRequest | undefined =
    now === undefined
      ? { project, why: "new", things: [] }
      : again(project, now, { ...options, known, kept: record?.kept });
  const refuse = (reason: string): TrustVerdict => {
    if (known === undefined) return declined(project, reason);
    const left = knownProject(project, { known, record, request, options });
    return { isTrusted: false, project, reason, known: left };
  };
  if (isDeclined) return refuse("it was declined in this session");
  if (now?.error !== undefined) return refuse(now.error);
  if (request === undefined) return trusted(project, known, options);
  const answer = await decided(request, options);
  if (answer === "trust" || answer === "once") {
    // What was added during the question is not what the user was asked about.
    const seen = now ?? (await surveyProject(project, options));
    if (seen.error !== undefined) return refuse(seen.error);
    // Where more is there than can be remembered, nothing is: it is asked each time.
    const things = seen.isTooMuch === true ? {} : { ...elsewhereIn(known), ...seen.things };
    if (answer === "trust")
      await options.store.set(project, {
        ...{ at: new Date().toISOString(), things },
        ...stillKept(project, record, things),
      });
    if (answer === "trust") session.once.delete(project);
    else session.once.set(project, things);
    return seen.isTooMuch === true ? { isTrusted: true, project } : trusted(project, things, options);
  }
  session.declined.add(project);
  session.once.delete(project);
  return refuse(options.decide === undefined ? NO_USER : "it was declined");
}

const NO_USER = "it has not been trusted, and there is no user to ask";

type Remembered = Settled & { readonly known: Survey | undefined; readonly kept: Kept | undefined };

/** What has to be asked about a project that was trusted; `undefined` if nothing has. */
function again(
  project: string,
  now: Surveyed,
  { known = {}, kept, ...options }: Remembered,
): TrustRequest | undefined {
  if (now.error !== undefined || now.isTooMuch === true) return { project, why: "unclear", things: [] };
  const added = Object.keys(now.things).filter((name) => !Object.hasOwn(known, name));
  const changed = Object.entries(now.things)
    .filter(([name, hash]) => Object.hasOwn(known, name) && !isKnown({ name, hash }, known, options))
    .map(([name]) => name);
  const things = [...added, ...changed, ...goneIn(project, kept)];
  if (things.length === 0) return undefined;
  return { project, why: added.length > 0 ? "grown" : "changed", things };
}

function trusted(project: string, known: Survey = {}, options: Settled): TrustVerdict {
  const covers = (path: string, hash: string) =>
    isKnown({ name: nameOfThing(project, path), hash }, known, options);
  return { isTrusted: true, project, covers };
}

interface Known {
  readonly known: Survey;
  readonly record: TrustedProject | undefined;
  readonly request: TrustRequest | undefined;
  readonly options: Settled;
}

function knownProject(project: string, { known, record, request, options }: Known): KnownProject {
  return {
    things: request?.things ?? [],
    names: (path) => Object.hasOwn(known, nameOfThing(project, path)),
    covers: (path, hash) => isKnown({ name: nameOfThing(project, path), hash }, known, options),
    kept: keptIn(project, record?.kept),
  };
}

interface Thing {
  readonly name: string;
  readonly hash: string;
}

/** Protected names are not written to without a question; whatever else changed may be the work of someone else. */
function isKnown({ name, hash }: Thing, known: Survey, { again: when = "grown" }: Settled): boolean {
  if (!Object.hasOwn(known, name)) return false;
  return known[name] === hash || (when === "grown" && isProtectedName(name));
}

/** What was found only while a file was evaluated does not come up in a survey, and stays. */
function elsewhereIn(known: Survey = {}): Survey {
  const entries = Object.entries(known).filter(([name]) => !isProtectedName(name));
  return Object.fromEntries(entries.slice(-MOST_KEPT));
}

const MOST_KEPT = 1_000;

function turnsByKey(): <Result>(key: string, act: () => Promise<Result>) => Promise<Result> {
  const last = new Map<string, Promise<unknown>>();
  return (key, act) => {
    const next = (last.get(key) ?? Promise.resolve()).then(act);
    const over = next
      .catch(() => undefined)
      .finally(() => {
        if (last.get(key) === over) last.delete(key);
      });
    last.set(key, over);
    return next;
  };
}

/** Whatever is not clearly a yes is a no. */
async function decided(request: TrustRequest, { decide }: Settled): Promise<TrustAnswer> {
  try {
    return (await decide?.(request)) ?? "decline";
  } catch {
    return "decline";
  }
}

function declined(project: string, reason: string): TrustVerdict {
  return { isTrusted: false, project, reason };
}

async function canonicalProject(
  project: string,
  owners: readonly number[] | undefined,
): Promise<{ readonly path: string; readonly error?: string }> {
  try {
    const path = await realpath(project);
    const stats = await stat(path);
    if (!stats.isDirectory()) return { path, error: "it is not a folder" };
    const error = ownershipError(stats, owners);
    return error === undefined ? { path } : { path, error };
  } catch (error) {
    return { path: project, error: `it cannot be found (${codeOf(error)})` };
  }
}
