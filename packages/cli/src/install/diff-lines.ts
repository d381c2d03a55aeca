import { createRedactor } from "@toolkeep/core";
import { hideValues } from "./hide-values.ts";

const CONTEXT = 2;

export interface TextChange {
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

/** The difference between two versions of a client's file, as one hunk with some context, without secret values. */
export function diffLines({ path, before, after }: TextChange): readonly string[] {
  const secrets = createRedactor();
  const old = linesOf(secrets.redact(hideValues(before)));
  const fresh = linesOf(secrets.redact(hideValues(after)));
  let start = 0;
  while (start < old.length && start < fresh.length && old[start] === fresh[start]) start += 1;
  let end = 0;
  const most = Math.min(old.length, fresh.length) - start;
  while (end < most && old[old.length - 1 - end] === fresh[fresh.length - 1 - end]) end += 1;
  const first = Math.max(0, start - CONTEXT);
  const last = (lines: readonly string[]) => lines.slice(lines.length - end, lines.length - end + CONTEXT);
  return [
    `--- ${path}${before === "" ? " (new)" : ""}`,
    ...old.slice(first, start).map((line) => `  ${line}`),
    ...old.slice(start, old.length - end).map((line) => `- ${line}`),
    ...fresh.slice(start, fresh.length - end).map((line) => `+ ${line}`),
    ...last(fresh).map((line) => `  ${line}`),
  ];
}

function linesOf(text: string): readonly string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}
