import { createHash } from "node:crypto";
import { createRedactor } from "@toolkeep/core";
import type { DecidedRecord } from "./decide-history.ts";
import type { HistoryNotes, ScannedClient, SkipReason } from "./recorded-call.ts";
import { type AskedGroup, chosenRules, type RuleChoice, rulesFor } from "./rule-choice.ts";

/** Calls with the same decision that look the same. */
export interface CallGroup {
  readonly client: ScannedClient;
  readonly tool: string;
  /** What the call does, without secrets. */
  readonly call: string;
  readonly reason: string;
  readonly project: string;
  readonly times: number;
  /** Milliseconds since the epoch, of the last one. */
  readonly last: number;
  /** How many of them depend on files that are not there any more. */
  readonly gone: number;
}

export interface ScanReport {
  readonly clients: readonly ClientCount[];
  readonly calls: number;
  readonly first: number | undefined;
  readonly last: number | undefined;
  readonly decisions: Readonly<Record<DecidedRecord["action"], number>>;
  readonly denied: readonly CallGroup[];
  readonly asked: readonly CallGroup[];
  readonly redirected: readonly CallGroup[];
  readonly secrets: readonly (CallGroup & { readonly kind: string })[];
  readonly gone: number;
  readonly trust: readonly { readonly project: string; readonly removes: number }[];
  readonly rules: readonly RuleChoice[];
  readonly unknown: readonly CountedKind[];
  readonly skipped: readonly CountedKind[];
}

interface ClientCount {
  readonly client: ScannedClient;
  readonly conversations: number;
  readonly calls: number;
}

interface CountedKind {
  readonly client: ScannedClient;
  readonly kind: string;
  readonly times: number;
}

/** Groups beyond this number are counted and not listed. */
const MOST_GROUPS = 10_000;
const MOST_LISTED = 1_000;

/** Collects what was decided. No text of a secret is kept. */
export class ScanCounter implements HistoryNotes {
  readonly #redactor = createRedactor();
  readonly #clients = new Map<ScannedClient, { conversations: number; calls: number }>();
  readonly #decisions = { allow: 0, ask: 0, redirect: 0, deny: 0 };
  readonly #groups = new Map<string, CallGroup & { readonly action: string; readonly kind?: string }>();
  readonly #asked = new Map<string, AskedGroup>();
  readonly #trust = new Map<string, number>();
  readonly #notes = new Map<string, CountedKind & { readonly isUnknown: boolean }>();
  #first: number | undefined;
  #last: number | undefined;
  #gone = 0;

  get calls(): number {
    return Object.values(this.#decisions).reduce((sum, one) => sum + one, 0);
  }

  unknown(client: ScannedClient, kind: string): void {
    this.#note({ client, kind: kind.slice(0, LONGEST_KIND), isUnknown: true });
  }

  skipped(client: ScannedClient, kind: SkipReason): void {
    this.#note({ client, kind, isUnknown: false });
  }

  conversation(client: ScannedClient, calls: number): void {
    const before = this.#clients.get(client) ?? { conversations: 0, calls: 0 };
    this.#clients.set(client, { conversations: before.conversations + 1, calls: before.calls + calls });
  }

  add(record: DecidedRecord): void {
    const { action, at } = record;
    this.#decisions[action] += 1;
    this.#first = Math.min(this.#first ?? at, at);
    this.#last = Math.max(this.#last ?? at, at);
    if (record.isGone) this.#gone += 1;
    const text = textOf(record);
    this.#addSecrets(record, text);
    const isListed = action !== "allow" && record.isAllowedIfTrusted !== true;
    if (isListed) this.#group({ ...this.#groupOf(record, text), action });
    if (action === "ask") this.#addAsked(record);
  }

  report(): ScanReport {
    const groups = [...this.#groups.values()].toSorted((one, other) => other.times - one.times);
    const of = (wanted: string) =>
      groups
        .filter(({ action }) => action === wanted)
        .slice(0, MOST_LISTED)
        .map(({ action: _, ...rest }) => rest);
    const notes = [...this.#notes.values()];
    const kinds = (isUnknown: boolean) =>
      notes
        .filter((one) => one.isUnknown === isUnknown)
        .map(({ client, kind, times }) => ({ client, kind, times }));
    return {
      clients: [...this.#clients].map(([client, counts]) => ({ client, ...counts })),
      calls: this.calls,
      first: this.#first,
      last: this.#last,
      decisions: { ...this.#decisions },
      denied: of("deny"),
      asked: of("ask"),
      redirected: of("redirect"),
      secrets: of("secret").map((one) => ({ kind: "secret", ...one })),
      gone: this.#gone,
      trust: [...this.#trust]
        .map(([project, removes]) => ({ project, removes }))
        .toSorted((one, other) => other.removes - one.removes),
      rules: chosenRules([...this.#asked.values()]),
      unknown: kinds(true),
      skipped: kinds(false),
    };
  }

  #addAsked(record: DecidedRecord): void {
    if (record.isAllowedIfTrusted === true) {
      const { root } = record.project.project;
      this.#trust.set(root, (this.#trust.get(root) ?? 0) + 1);
      return;
    }
    const rules = rulesFor(record, this.#redactor);
    if (rules.length === 0) return;
    const key = rules
      .map(({ line }) => line)
      .toSorted()
      .join("\n");
    const before = this.#asked.get(key);
    if (before !== undefined || this.#asked.size < MOST_GROUPS)
      this.#asked.set(key, { rules, times: (before?.times ?? 0) + 1 });
  }

  /** Each secret of a kind in a call counts once, whatever calls it is in. */
  #addSecrets(record: DecidedRecord, text: string): void {
    for (const value of textsIn(record)) {
      for (const { start, end, mark } of this.#redactor.find(value)) {
        const kind = mark.replace(/^\[redacted:(.*)\]$/, "$1");
        const hash = createHash("sha256").update(value.slice(start, end)).digest("hex");
        this.#group({ ...this.#groupOf(record, text), action: "secret", kind }, hash);
      }
    }
  }

  #groupOf(record: DecidedRecord, text: string): CallGroup {
    const { client, tool, at, reason = "", project, isGone } = record;
    return {
      client,
      tool: tool.slice(0, LONGEST_KIND),
      call: this.#redactor.redact(text).slice(0, LONGEST_CALL),
      reason: this.#redactor.redact(reason).slice(0, LONGEST_REASON),
      project: project.project.root,
      times: 1,
      last: at,
      gone: isGone ? 1 : 0,
    };
  }

  #group(group: CallGroup & { readonly action: string; readonly kind?: string }, by?: string): void {
    const { action, client, tool, call, project } = group;
    const key = by === undefined ? JSON.stringify([action, client, tool, call, project]) : `${action} ${by}`;
    const before = this.#groups.get(key);
    if (before === undefined && this.#groups.size >= MOST_GROUPS) return;
    const { times = 0, last = 0, gone = 0 } = before ?? {};
    this.#groups.set(key, {
      ...(before ?? group),
      times: times + 1,
      last: Math.max(last, group.last),
      gone: gone + group.gone,
    });
  }

  #note(note: { readonly client: ScannedClient; readonly kind: string; readonly isUnknown: boolean }): void {
    const key = `${note.client} ${note.isUnknown} ${note.kind}`;
    const times = (this.#notes.get(key)?.times ?? 0) + 1;
    if (times > 1 || this.#notes.size < MOST_KINDS) this.#notes.set(key, { ...note, times });
  }
}

const LONGEST_KIND = 100;
const LONGEST_CALL = 400;
const LONGEST_REASON = 600;
const MOST_KINDS = 200;

/** The command, or what the call is about. */
function textOf({ tool, call }: DecidedRecord): string {
  if (call === undefined) return tool;
  const [first] = call.calls;
  if (first === undefined) return tool;
  const { command, path, url, query } = first.arguments;
  if (typeof command === "string") return command;
  const about = [path, url, query].find((one) => typeof one === "string");
  return about === undefined ? tool : `${tool} ${String(about)}`;
}

const MOST_TEXTS = 1_000;

/** The texts that went into the tool. */
function textsIn({ call }: DecidedRecord): readonly string[] {
  const found: string[] = [];
  const open: unknown[] = [call?.remote?.arguments ?? call?.calls.map((one) => one.arguments)];
  for (let at = open.pop(); at !== undefined && found.length < MOST_TEXTS; at = open.pop()) {
    if (typeof at === "string") found.push(at);
    else if (typeof at === "object" && at !== null) open.push(...Object.values(at).slice(0, MOST_TEXTS));
  }
  return [...new Set(found)];
}
