import { readFileSync } from "node:fs";
import { join } from "node:path";

/** One attack of the corpus on a tool that fetches. */
export interface NetworkAttack {
  readonly id: string;
  readonly input: { readonly url: string; readonly headers?: Readonly<Record<string, string>> };
  readonly setup: {
    readonly manifest: { readonly net: { readonly hosts: readonly string[] } };
    readonly dns?: Readonly<Record<string, readonly string[]>>;
    readonly http?: Readonly<Record<string, string>>;
    readonly env?: Readonly<Record<string, string>>;
  };
  readonly must: { readonly decision: string; readonly invariant: string };
}

const FOLDER = join(import.meta.dirname, "../../../../../tests/attacks");

/** The attacks of one group. `{INT_PORT}` in them is the port of the server that must not be reached. */
export function readAttacks(group: "ssrf" | "net-limits", internalPort: number): readonly NetworkAttack[] {
  const text = readFileSync(join(FOLDER, `${group}.jsonl`), "utf8").replaceAll(
    "{INT_PORT}",
    `${internalPort}`,
  );
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as NetworkAttack);
}
