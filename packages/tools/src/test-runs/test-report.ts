/** What a test runner reported. */
export interface TestReport {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly failures: readonly FailedTest[];
}

export interface FailedTest {
  readonly name: string;
  readonly file?: string;
  readonly line?: number;
  readonly message?: string;
}

/** A position as `path:line` or `path:line:column`; nothing where the text has none. */
export function positionIn(text: string): Pick<FailedTest, "file" | "line"> {
  const [, file, line] = /^(?:file:\/\/)?(.+?):(\d+)(?::\d+)?:?$/.exec(text.trim()) ?? [];
  return file === undefined ? {} : { file, line: Number(line) };
}

const LONGEST_MESSAGE = 500;

export function messageOf(text: string | undefined): Pick<FailedTest, "message"> {
  const plain = text?.trim() ?? "";
  return plain === "" ? {} : { message: plain.slice(0, LONGEST_MESSAGE) };
}

/** The number before or after a word, added up over all places; `undefined` if there is none. */
export function sumOf(text: string, pattern: RegExp): number | undefined {
  const found = [...text.matchAll(pattern)];
  return found.length === 0 ? undefined : found.reduce((sum, [, count]) => sum + Number(count), 0);
}
