import { realpath, stat } from "node:fs/promises";
import { ownershipFault } from "./ownership-fault.ts";
import { codeOf } from "./read-owned-file.ts";
import { type Survey, surveyProject } from "./survey-project.ts";
import { type TrustStore, trustStore } from "./trust-store.ts";

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
  /** A file among the user's own where it is left out. */
  readonly store?: TrustStore;
  /** Puts the question to a person. Left out: nobody is there, and every new project is declined. */
  decide?(request: TrustRequest): TrustAnswer | Promise<TrustAnswer>;
  /** When a trusted project is asked about again: when things were added, or also when any changed. `grown` where it is left out. */
  readonly again?: "grown" | "changed";
  /** Users beside us and root whose projects may be trusted. */
  readonly owners?: readonly number[];
}

export type TrustVerdict =
  | { readonly isTrusted: true; readonly project: string }
  | { readonly isTrusted: false; readonly project: string; readonly reason: string };

/** Decides whether anything of a project may be read. One for a session. */
export interface ProjectTrust {
  /** Asks where it must. Never throws for what is in the way: that is not trusted, with the reason. */
  of(project: string): Promise<TrustVerdict>;
  /** Forgets what was answered, here and in the store. */
  revoke(project: string): Promise<void>;
}

/**
 * Trust in projects. It is remembered for one canonical path, never for what is beneath or above it,
 * together with the names of the things that would be run or obeyed.
 */
export function projectTrust(options: ProjectTrustOptions = {}): ProjectTrust {
  const { store = trustStore() } = options;
  const session: Answers = { once: new Map(), declined: new Set() };
  const asking = new Map<string, Promise<TrustVerdict>>();
  return {
    async of(project) {
      const found = await canonicalProject(project, options.owners);
      if (found.fault !== undefined) return declined(project, found.fault);
      const running = asking.get(found.path);
      if (running !== undefined) return running;
      const verdict = judge(found.path, { ...options, store }, session)
        .catch((error: unknown) => declined(found.path, `its trust cannot be looked up (${codeOf(error)})`))
        .finally(() => asking.delete(found.path));
      asking.set(found.path, verdict);
      return verdict;
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

type Settled = ProjectTrustOptions & { readonly store: TrustStore };

async function judge(project: string, options: Settled, session: Answers): Promise<TrustVerdict> {
  if (session.declined.has(project)) return declined(project, "it was declined in this session");
  const known = session.once.get(project) ?? (await options.store.get(project))?.things;
  const request = known === undefined ? newProject(project) : await askAgain(project, known, options);
  if (request === undefined) return { isTrusted: true, project };
  const answer = await decided(request, options);
  if (answer === "trust" || answer === "once") {
    // Where more is there than can be remembered, nothing is: it is asked each time.
    const things = (await surveyProject(project, options.owners)) ?? {};
    if (answer === "trust") await options.store.set(project, { at: new Date().toISOString(), things });
    if (answer === "trust") session.once.delete(project);
    else session.once.set(project, things);
    return { isTrusted: true, project };
  }
  session.declined.add(project);
  session.once.delete(project);
  return declined(project, options.decide === undefined ? NOBODY : "it was declined");
}

const NOBODY = "nobody has trusted it, and nobody is there to be asked";

function newProject(project: string): TrustRequest {
  return { project, why: "new", things: [] };
}

async function askAgain(
  project: string,
  known: Survey,
  { again = "grown", owners }: Settled,
): Promise<TrustRequest | undefined> {
  const now = await surveyProject(project, owners);
  if (now === undefined) return { project, why: "unclear", things: [] };
  const names = Object.keys(now);
  const added = names.filter((name) => !Object.hasOwn(known, name));
  if (added.length > 0) return { project, why: "grown", things: added };
  const changed = again === "changed" ? names.filter((name) => now[name] !== known[name]) : [];
  return changed.length > 0 ? { project, why: "changed", things: changed } : undefined;
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
): Promise<{ readonly path: string; readonly fault?: string }> {
  try {
    const path = await realpath(project);
    const stats = await stat(path);
    if (!stats.isDirectory()) return { path, fault: "it is not a folder" };
    const fault = ownershipFault(stats, owners);
    return fault === undefined ? { path } : { path, fault };
  } catch (error) {
    return { path: project, fault: `it cannot be found (${codeOf(error)})` };
  }
}
