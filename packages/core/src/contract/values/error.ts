/** What can go wrong in the host application's use of Toolkeep, by code. */
export type ErrorCode =
  | "invalid_tool"
  | "invalid_requirement"
  | "invalid_rule"
  | "invalid_option"
  | "session_closed"
  | "session_in_use"
  | "session_lost"
  | "turn_unknown"
  | "turn_running"
  | "answer_refused"
  | "journal_broken";

const BRAND = Symbol.for("toolkeep.error");

/** A mistake of the host application, such as an invalid option. A mistake of a model is a failed result instead. */
export class ToolkeepError extends Error {
  readonly code: ErrorCode;
  readonly [BRAND] = true;

  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "ToolkeepError";
    this.code = code;
  }

  /** Recognises the error also when it comes from another copy of the package. */
  static isInstance(value: unknown): value is ToolkeepError {
    return typeof value === "object" && value !== null && BRAND in value;
  }
}

/** The error for a mistake in what the host application gave. */
export function invalidOption(message: string, options?: ErrorOptions): ToolkeepError {
  return new ToolkeepError("invalid_option", message, options);
}

/** Does it for each item, and then throws one error that names every mistake. */
export function mapNamingAll<Item, Result>(items: readonly Item[], act: (item: Item) => Result): Result[] {
  const errors: ToolkeepError[] = [];
  const results = items.flatMap((item) => {
    try {
      return [act(item)];
    } catch (error) {
      if (!ToolkeepError.isInstance(error)) throw error;
      errors.push(error);
      return [];
    }
  });
  const [first, ...more] = errors;
  if (first === undefined) return results;
  if (more.length === 0) throw first;
  throw new ToolkeepError(first.code, errors.map(({ message }) => message).join("\n"), { cause: errors });
}

/** The message of what was thrown, or its stack. Never throws itself. */
export function errorText(error: unknown, form: "message" | "stack" = "message"): string {
  try {
    if (error instanceof Error) return (form === "stack" ? error.stack : undefined) ?? error.message;
    return String(error);
  } catch {
    return "something that cannot be shown";
  }
}

/** The known name that is closest to a mistyped one, if one is close. */
export function closestName(name: string, known: Iterable<string>): string | undefined {
  let best: string | undefined;
  let least = 4;
  for (const candidate of known) {
    const distance = editDistance(name, candidate);
    const isClose = distance <= Math.ceil(Math.max(name.length, candidate.length) / 3);
    if (isClose && distance < least) [best, least] = [candidate, distance];
  }
  return best;
}

/** How many letters to add, remove or change. Long names are never close: the cost is quadratic. */
function editDistance(one: string, other: string): number {
  if (Math.max(one.length, other.length) > 64) return Number.POSITIVE_INFINITY;
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let at = 1; at <= one.length; at += 1) {
    const next = [at];
    for (let to = 1; to <= other.length; to += 1) {
      const changed = (row[to - 1] ?? 0) + Number(one[at - 1] !== other[to - 1]);
      next.push(Math.min((row[to] ?? 0) + 1, (next[to - 1] ?? 0) + 1, changed));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}

/**
 * Refuses a key that an object of options does not have: a misspelled option may have been meant to forbid something.
 * @throws ToolkeepError `Unknown session option "aprover". Did you mean "approver"?`
 */
export function assertKnownKeys(
  options: object,
  known: Iterable<string>,
  what: string,
  code: ErrorCode = "invalid_option",
): void {
  const names = new Set(known);
  const unknown = Object.keys(options).find((key) => !names.has(key));
  if (unknown !== undefined) throw new ToolkeepError(code, unknownKey(unknown, names, what));
}

/** `Unknown <what> "<key>".`, with a suggestion where a known key is close. */
export function unknownKey(key: string, known: Iterable<string>, what: string): string {
  const near = closestName(key, known);
  const suggestion = near === undefined ? "" : ` Did you mean ${JSON.stringify(near)}?`;
  return `Unknown ${what} ${JSON.stringify(key)}.${suggestion}`;
}
