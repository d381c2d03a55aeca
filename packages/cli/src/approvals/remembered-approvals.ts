import type { SqliteStore } from "@toolkeep/sqlite";
import { CommandError, usageError } from "../terminal/command-error.ts";
import { localTime } from "../terminal/local-time.ts";

type Approvals = ReturnType<SqliteStore["projectApprovals"]>;
type Entry = ReturnType<Approvals["list"]>[number];

/** One answer "always" of a project: the store has an entry for each effect and each asker. */
export interface RememberedAnswer extends Pick<Entry, "id" | "toolName" | "origin" | "lines" | "by"> {
  readonly askers: readonly string[];
  readonly entries: readonly string[];
  /** Milliseconds since the epoch. */
  readonly addedAt: number;
}

/** The answers of a project, oldest first. */
export function rememberedAnswers(approvals: Pick<Approvals, "list">): readonly RememberedAnswer[] {
  return [...Map.groupBy(approvals.list(), ({ id }) => id).values()].flatMap((entries) => {
    const [first] = entries;
    if (first === undefined) return [];
    const { id, toolName, origin, lines, by, addedAt } = first;
    const askers = [...new Set(entries.map(({ asker }) => asker))];
    const all = entries.map(({ entry }) => entry);
    const person = by === undefined ? {} : { by };
    return [{ id, toolName, origin, lines, askers, entries: all, addedAt, ...person }];
  });
}

/** An answer for people. The lines are safe to print. */
export function answerLines({ id, lines, by, addedAt, askers }: RememberedAnswer): readonly string[] {
  const watchdogs = askers.filter((asker) => asker !== "rules");
  const also = watchdogs.length === 0 ? "" : `, although ${watchdogs.join(" and ")} asked`;
  const person = by === undefined ? "" : ` by ${by}`;
  return [id, ...lines.map((line) => `  ${line}`), `  approved ${localTime(addedAt)}${person}${also}`];
}

/** An answer for programs. */
export function answerRecord({ entries: _entries, addedAt, ...answer }: RememberedAnswer) {
  return { ...answer, approvedAt: new Date(addedAt).toISOString() };
}

/** Fewer digits of an id could match an answer that is remembered a moment later. */
const FEWEST_DIGITS = 4;

/** The answer with an id, which may be shortened. @throws CommandError if none or several match. */
export function findAnswer(id: string, all: readonly RememberedAnswer[]): RememberedAnswer {
  const matching = all.filter(
    (one) => one.id === id || (id.length >= FEWEST_DIGITS && one.id.startsWith(id)),
  );
  const [found, ...others] = matching;
  if (found !== undefined && others.length === 0) return found;
  const hint = "Run `toolkeep approvals --always` to list the remembered approvals of this project.";
  if (found === undefined)
    throw new CommandError(`No remembered approval of this project has the id ${JSON.stringify(id)}.`, {
      hint,
    });
  const list = matching.map((one) => `\n  ${one.id}`).join("");
  throw usageError(
    `${JSON.stringify(id)} matches ${matching.length} remembered approvals:${list}`,
    "Use a longer id.",
  );
}
