import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Action } from "@toolkeep/core";

/** What must come of an attack once every layer is there. */
type Demand = "deny" | "ask" | "contain" | "limit" | "error" | "allow";

/** One line of the corpus. Texts may hold `{W}` and the like, which stand for places of the fixture. */
export interface CorpusRecord {
  readonly id: string;
  readonly group: Group;
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly setup: CorpusSetup;
  readonly must: {
    readonly decision: Demand;
    readonly invariant: string;
    /** Layers each of which must stop it alone. Where they are named, no other is tried alone. */
    readonly layers?: readonly AloneLayer[];
  };
}

export type AloneLayer = "rules" | "io" | "sandbox";

export interface CorpusSetup {
  readonly rules?: readonly (readonly [permission: string, pattern: string, action: Action])[];
  readonly manifest?: {
    readonly fs?: { readonly read?: readonly string[] };
    readonly net?: { readonly hosts?: readonly string[] };
  };
  readonly workspace?: null;
  readonly files?: Readonly<Record<string, string>>;
  readonly dirs?: readonly string[];
  readonly symlinks?: Readonly<Record<string, string>>;
  readonly hardlinks?: Readonly<Record<string, string>>;
  readonly mkfifo?: readonly string[];
  readonly dns?: Readonly<Record<string, readonly string[]>>;
  readonly http?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly note?: string;
  /** Programs of `tests/attacks/programs` that lie in the workspace. */
  readonly programs?: readonly string[];
  /** Unix sockets of services outside. */
  readonly sockets?: readonly string[];
  /** Files that must be as they were afterwards. */
  readonly kept?: readonly string[];
  /** What it is played in to see that it can do harm: no sandbox, unless a namespace of processes is what it breaks. */
  readonly control?: "bare namespace";
  /** It does no harm where the kernel does not have what it asks for. */
  readonly kernel?: true;
}

export const GROUPS = [
  "fs-path",
  "fs-link",
  "config-write",
  "shell-syntax",
  "shell-argument",
  "shell-intent",
  "ssrf",
  "net-limits",
  "limits",
  "sandbox",
  "outlive",
  "kernel",
  "denied",
  "control",
] as const;

type Group = (typeof GROUPS)[number];

const FOLDER = join(import.meta.dirname, "../attacks");

/** Every record once, each in its own group: a file may also hold those of others that it is about. */
export function readCorpus(): readonly CorpusRecord[] {
  const records = GROUPS.flatMap((group) =>
    readFileSync(join(FOLDER, `${group}.jsonl`), "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => recordOf(JSON.parse(line) as StoredRecord, group)),
  );
  return records.filter((record, index) => records.findIndex(({ id }) => id === record.id) === index);
}

interface StoredRecord extends Omit<CorpusRecord, "group" | "must"> {
  readonly group?: Group;
  readonly must: Omit<CorpusRecord["must"], "decision"> & {
    readonly decision?: Demand;
    readonly outcome?: Demand;
  };
}

function recordOf({ group, must, ...record }: StoredRecord, file: Group): CorpusRecord {
  const decision = must.decision ?? must.outcome;
  if (decision === undefined) throw new Error(`${record.id} demands nothing`);
  return { ...record, group: group ?? file, must: { ...must, decision } };
}
