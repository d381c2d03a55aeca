import type { Label } from "../../contract/call/result.ts";

/** A new mark of a session, to be recorded. */
export type TaintMark =
  | { readonly label: Label; readonly by?: string }
  | { readonly script: string; readonly isApproved?: true };

/** What decisions read of the marks. */
export interface AppliedMarks {
  readonly labels: ReadonlySet<Label>;
  /** What each label came from, where that is known. */
  readonly causes: ReadonlyMap<Label, string>;
  readonly scripts: ReadonlySet<string>;
}

/**
 * What a session and its children have taken in, touched, or changed of what is run. What a call marks applies from its
 * decision on, and stays once it begins. A call that is refused leaves nothing.
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
    const added = marks.filter((mark) => !this.#kept.has(nameOf(mark)));
    for (const mark of added) this.#kept.set(nameOf(mark), mark);
    this.#apply();
    for (const mark of added) this.#tell(mark);
  }

  /** What a call marks if it begins, instead of what was expected of it before. */
  expect(call: string, marks: readonly TaintMark[]): void {
    if (marks.length > 0) this.#expected.set(call, marks);
    if (marks.length > 0 || this.#expected.delete(call)) this.#apply();
  }

  /** The call begins: what was expected of it stays. */
  begin(call: string): void {
    const marks = this.#expected.get(call);
    if (this.#expected.delete(call)) this.add(...(marks ?? []));
  }

  /** The call was refused. */
  drop(call: string): void {
    if (this.#expected.delete(call)) this.#apply();
  }

  /** What applies without what this call marks itself. */
  without(call: string): AppliedMarks {
    if (!this.#expected.has(call)) return this.#applied;
    const others = [...this.#expected].flatMap(([key, marks]) => (key === call ? [] : marks));
    return applied([...this.#kept.values(), ...others]);
  }

  /** An approver allowed this call to run these as they are: they are like unchanged until they change again. */
  approveScripts(paths: readonly string[], call: string): void {
    const own = this.#expected.get(call) ?? [];
    this.expect(
      call,
      own.filter((mark) => "label" in mark || !paths.includes(mark.script)),
    );
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
  return "label" in mark ? mark.label : `script ${mark.script}`;
}

/** The first cause of a label counts. */
function applied(marks: readonly TaintMark[]): AppliedMarks {
  const labelled = marks.flatMap((mark) => ("label" in mark ? [mark] : []));
  const causes = labelled.flatMap(({ label, by }) => (by === undefined ? [] : [[label, by] as const]));
  return {
    labels: new Set(labelled.map(({ label }) => label)),
    causes: new Map(causes.reverse()),
    scripts: new Set(marks.flatMap((mark) => ("script" in mark ? [mark.script] : []))),
  };
}
