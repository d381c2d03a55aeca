import type { PolicyContext } from "../../contract/policy/decision.ts";
import type { JournalEntry } from "../../contract/store/event.ts";
import { defined } from "../../contract/values/defined.ts";

/** A new mark of a session, to be recorded. */
export type TaintMark =
  | Omit<JournalEntry & { readonly type: "session-taint" }, "type">
  | { readonly script: string; readonly isApproved?: true };

/** What decisions read of the marks. */
export type AppliedMarks = Required<Pick<PolicyContext, "taint" | "taintedBy" | "changedScripts">>;

/**
 * What a session and its children have taken in, touched, or changed of what is run. What a call marks applies from its
 * decision on, and stays once it begins. A call that is refused leaves nothing. A call that another program runs marks
 * until that program says that it did not.
 */
export class Taint {
  /** By what they are about. */
  readonly #kept = new Map<string, TaintMark>();
  /** By the call that has not begun yet. */
  readonly #expected = new Map<string, readonly TaintMark[]>();
  readonly #listeners = new Set<(mark: TaintMark) => void>();
  #applied = applied([]);

  get applied(): AppliedMarks {
    return this.#applied;
  }

  /** What stays. */
  get kept(): Iterable<TaintMark> {
    return this.#kept.values();
  }

  /** Whether there is no label left to keep. */
  get isFull(): boolean {
    return this.#kept.has("untrusted") && this.#kept.has("private");
  }

  /** The first cause of a label is kept. */
  add(...marks: readonly TaintMark[]): void {
    for (const mark of marks) {
      if (this.#kept.has(nameOf(mark)) || ("label" in mark && this.#kept.has(mark.label))) continue;
      this.#kept.set(nameOf(mark), mark);
      this.#apply();
      this.#tell(mark);
    }
  }

  /** What a call marks if it begins, instead of what was expected of it before; nothing once it is refused. */
  expect(call: string, marks: readonly TaintMark[]): void {
    if (marks.length > 0) this.#expected.set(call, marks);
    if (marks.length > 0 || this.#expected.delete(call)) this.#apply();
  }

  /** The call begins: what was expected of it stays. With `ofCall`, another program runs it, and may still refuse. */
  begin(call: string, ofCall?: string): void {
    for (const mark of this.#expected.get(call) ?? [])
      this.add("label" in mark ? { ...mark, ...defined({ ofCall }) } : mark);
    this.expect(call, []);
  }

  /** Another program refused calls that had begun. */
  revoke(isRefused: (ofCall: string) => boolean): void {
    const revoked = [...this.#kept.values()].filter(
      (mark) => "label" in mark && mark.ofCall !== undefined && isRefused(mark.ofCall),
    );
    for (const mark of revoked) this.#kept.delete(nameOf(mark));
    this.#apply();
    for (const mark of revoked) this.#tell({ ...mark, isRevoked: true });
  }

  /** What applies without what this call marks itself. */
  without(call: string): AppliedMarks {
    if (!this.#expected.has(call)) return this.#applied;
    const others = [...this.#expected].flatMap(([key, marks]) => (key === call ? [] : marks));
    return applied([...this.#kept.values(), ...others]);
  }

  /** An approver allowed this call to run these as they are: they are like unchanged until they change again. */
  approveScripts(paths: readonly string[], call = ""): void {
    const isLeft = (mark: TaintMark) => "label" in mark || !paths.includes(mark.script);
    this.expect(call, (this.#expected.get(call) ?? []).filter(isLeft));
    const approved = paths.filter((script) => this.#kept.delete(nameOf({ script })));
    this.#apply();
    for (const script of approved) this.#tell({ script, isApproved: true });
  }

  /** Told of everything that is new and stays, until it is undone. */
  listen(tell: (mark: TaintMark) => void): () => void {
    this.#listeners.add(tell);
    return () => void this.#listeners.delete(tell);
  }

  #apply(): void {
    this.#applied = applied([...this.#kept.values(), ...[...this.#expected.values()].flat()]);
  }

  #tell(mark: TaintMark): void {
    for (const tell of this.#listeners) tell(mark);
  }
}

function nameOf(mark: TaintMark): string {
  if ("script" in mark) return `script ${mark.script}`;
  return mark.ofCall === undefined ? mark.label : `${mark.label} ${mark.ofCall}`;
}

/** The first cause of a label counts. */
function applied(marks: readonly TaintMark[]): AppliedMarks {
  const labelled = marks.flatMap((mark) => ("label" in mark ? [mark] : []));
  const causes = labelled.flatMap(({ label, by }) => (by === undefined ? [] : [[label, by] as const]));
  return {
    taint: new Set(labelled.map(({ label }) => label)),
    taintedBy: new Map(causes.reverse()),
    changedScripts: new Set(marks.flatMap((mark) => ("script" in mark ? [mark.script] : []))),
  };
}
