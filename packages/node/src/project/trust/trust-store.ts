import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isRecord } from "@toolkeep/core/internal";
import { directories } from "../../environment/directories.ts";
import { readOwnedFile } from "../../owned-files/read-owned-file.ts";
import { writeOwnedFile } from "../../owned-files/write-owned-file.ts";

/** What a person trusted: which things were there then, each with a hash of what was in it. */
export interface TrustedProject {
  /** When, as ISO 8601. */
  readonly at: string;
  readonly things: Readonly<Record<string, string>>;
  /** Configuration and policy that commands could write to, as it was trusted: by path, as seen from the project. */
  readonly kept?: Readonly<Record<string, KeptFile>>;
}

/** The text of an auto-executed file when it was trusted, so that what it forbids outlives a change. */
interface KeptFile {
  /** Where it really lay: its name among the things. */
  readonly name: string;
  readonly text: string;
}

/** Port: remembers trusted projects by canonical path. */
export interface TrustStore {
  /** Must answer `undefined` wherever it cannot tell. */
  get(project: string): Promise<TrustedProject | undefined>;
  /** With `instead`, only over a record of that time: one that was forgotten or renewed meanwhile stays so. */
  set(project: string, trusted: TrustedProject, instead?: string): Promise<void>;
  delete(project: string): Promise<void>;
  list(): Promise<ReadonlyMap<string, TrustedProject>>;
}

const MOST_BYTES = 8_000_000;

/** Keeps trust in a file of its owner. If it is broken, or others can write to it, everything is asked again. */
export function trustStore(file: string = join(directories().state, "trust.json")): TrustStore {
  let writing: Promise<unknown> = Promise.resolve();
  const change = (edit: (projects: Map<string, TrustedProject>) => void): Promise<void> => {
    const next = writing.then(async () => {
      // Read again, since another process may have written meanwhile.
      const projects = await readProjects(file);
      edit(projects);
      await writeProjects(file, projects);
    });
    writing = next.catch(() => undefined);
    return next;
  };
  return {
    get: async (project) => (await readProjects(file)).get(project),
    set: (project, trusted, instead) =>
      change((projects) => {
        if (instead === undefined || projects.get(project)?.at === instead) projects.set(project, trusted);
      }),
    delete: (project) => change((projects) => projects.delete(project)),
    list: () => readProjects(file),
  };
}

async function readProjects(file: string): Promise<Map<string, TrustedProject>> {
  const found = await readOwnedFile(file, { mostBytes: MOST_BYTES });
  if (found === undefined || found.error !== undefined) return new Map();
  try {
    const parsed: unknown = JSON.parse(found.text);
    if (!isRecord(parsed) || parsed["version"] !== 1 || !isRecord(parsed["projects"])) return new Map();
    const entries = Object.entries(parsed["projects"]);
    return new Map(entries.filter((entry): entry is [string, TrustedProject] => isTrusted(entry[1])));
  } catch {
    return new Map();
  }
}

async function writeProjects(file: string, projects: ReadonlyMap<string, TrustedProject>): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const text = `${JSON.stringify({ version: 1, projects: Object.fromEntries(projects) }, undefined, 2)}\n`;
  await writeOwnedFile(file, text);
}

function isTrusted(value: unknown): value is TrustedProject {
  if (!isRecord(value) || typeof value["at"] !== "string" || !isRecord(value["things"])) return false;
  const { kept = {} } = value;
  if (!isRecord(kept) || !Object.values(kept).every(isKept)) return false;
  return Object.values(value["things"]).every((hash) => typeof hash === "string");
}

function isKept(value: unknown): value is KeptFile {
  return isRecord(value) && typeof value["name"] === "string" && typeof value["text"] === "string";
}
