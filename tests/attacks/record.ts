import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Action, Rule } from "@toolkeep/core";
import type { RuleScope } from "@toolkeep/core/policy";

export type Args = Readonly<Record<string, unknown>>;

type RuleTriple = readonly [permission: string, pattern: string, action: Action];

/** What is there before the call is made. */
export interface Setup {
  readonly rules?: readonly RuleTriple[];
  readonly manifest?: readonly RuleTriple[];
  readonly project?: readonly RuleTriple[];
  readonly session?: readonly RuleTriple[];
  /** Who answers requests. Default: an approver that approves everything. */
  readonly person?: "none" | "looks" | "always for the first";
  readonly files?: Readonly<Record<string, string>>;
  /** What the command would print. */
  readonly prints?: string;
  readonly watchdog?: "throws";
  readonly parser?: "throws";
  readonly sandbox?: "none";
  /** For the sandbox of commands. */
  readonly searchPath?: string;
}

/** What must come of the call. */
export interface Demand {
  readonly outcome: "deny" | "ask" | "error" | "sanitize" | "redact" | "contain";
  readonly invariant: string;
  /** The code of the failure, where it is not the usual one, or where the call does not get as far as a person. */
  readonly code?: string;
  /** What the person must be able to read. */
  readonly shows?: readonly string[];
  /** Commands that must stand on lines of their own. */
  readonly lists?: readonly string[];
  /** What must not be read there. */
  readonly hides?: readonly string[];
  /** How long it may take until the person sees it. */
  readonly withinMs?: number;
  /** What is shown to a person is the only layer there is for these, and must stop them. */
  readonly layers?: readonly "prompt"[];
}

export interface Attack {
  readonly id: string;
  readonly tool: string;
  readonly input: Args;
  /** Further inputs of which the same is demanded. */
  readonly also?: readonly Args[];
  /** Harmless, and allowed by the same rules without a request. */
  readonly twin?: Args;
  readonly setup: Setup;
  readonly must: Demand;
}

interface StoredAttack extends Attack {
  /** Long texts by their parts, each with how often it comes. */
  readonly long?: Readonly<Record<string, readonly (readonly [text: string, times: number])[]>>;
}

/** Long enough for a declared secret; the word is looked for wherever something is written or shown. */
export const CANARY = "CANARY-5b1f0c7e92";
export const CANARY_WORD = /CANARY/;

const GROUPS = ["ruleset", "spoof", "secrets"] as const;

export function readAttacks(): readonly Attack[] {
  return GROUPS.flatMap((group) => readGroup(join(import.meta.dirname, `${group}.jsonl`)));
}

function readGroup(path: string): readonly Attack[] {
  const lines = readFileSync(path, "utf8").trimEnd().split("\n");
  return lines.map((line) => expanded(JSON.parse(line.replaceAll("CANARY", CANARY)) as StoredAttack));
}

function expanded({ long, ...attack }: StoredAttack): Attack {
  if (long === undefined) return attack;
  const texts = Object.entries(long).map(([name, parts]) => [
    name,
    parts.map(([text, times]) => text.repeat(times)).join(""),
  ]);
  return { ...attack, input: { ...attack.input, ...Object.fromEntries(texts) } };
}

/** The rules of a setup with their scopes; those without one are the manifest's. */
export function rulesOf({ rules = [], manifest = [], project = [], session = [] }: Setup): readonly Rule[] {
  return [
    ...scoped([...rules, ...manifest], "manifest"),
    ...scoped(project, "project"),
    ...scoped(session, "session"),
  ];
}

function scoped(triples: readonly RuleTriple[], scope: RuleScope): readonly Rule[] {
  return triples.map(([permission, pattern, action]) => ({ permission, pattern, action, scope }));
}
