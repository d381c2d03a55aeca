import { relative } from "node:path";
import { ROOT } from "../root.ts";

/** One test whose own title begins with row numbers. */
export interface RowTest {
  readonly rows: readonly string[];
  readonly title: string;
  /** True if it goes through a fake of a part that is still to come. */
  readonly planned: boolean;
  /** A test that did not run is skipped. */
  readonly outcome: "passed" | "failed" | "skipped";
  readonly file: string;
}

/** A test run as far as rows are concerned. */
export interface RowReport {
  readonly tests: readonly RowTest[];
  /** Test files that did not load, so that their tests are unknown. */
  readonly brokenFiles: readonly string[];
}

interface VitestTest {
  readonly title: string;
  readonly status: string;
}

interface VitestFile {
  readonly name: string;
  readonly status: string;
  readonly assertionResults: readonly VitestTest[];
}

const TITLE = /^(?<numbers>(?:\[C\d+\])+)\s*(?<planned>\(planned\))?\s*(?<words>.*)$/s;

/** Reads vitest's JSON report; files are sorted, since vitest lists them in the order they finished. */
export function readReport(json: string, root: string = ROOT): RowReport {
  const { testResults } = JSON.parse(json) as { readonly testResults: readonly VitestFile[] };
  const files = testResults
    .map((file) => ({ ...file, name: relative(root, file.name) }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  return {
    tests: files.flatMap((file) => file.assertionResults.flatMap((test) => rowTest(file.name, test))),
    brokenFiles: files.filter(isBroken).map((file) => file.name),
  };
}

function rowTest(file: string, { title, status }: VitestTest): RowTest[] {
  const parts = TITLE.exec(title)?.groups;
  if (!parts) return [];
  const { numbers = "", planned, words = "" } = parts;
  const rows = [...new Set(numbers.match(/C\d+/g))];
  const outcome = status === "passed" || status === "failed" ? status : "skipped";
  return [{ rows, title: words, planned: planned !== undefined, outcome, file }];
}

function isBroken(file: VitestFile): boolean {
  return file.status === "failed" && !file.assertionResults.some((test) => test.status === "failed");
}
