import { relative } from "node:path";
import type { DeniedPath } from "./look-for-denied.ts";

const MOST_NAMED = 5;

/** What is masked because of policy, tracked by git or not: it also explains errors of other programs. */
export function deniedNote(denied: readonly DeniedPath[], cwd: string): string | undefined {
  const mounted = denied.filter(({ link }) => link === undefined);
  const hidden = mounted.filter(({ as }) => as === "hidden");
  const guarded = mounted.filter(({ as }) => as === "guarded");
  const kept = mounted.filter(({ as }) => as === "kept");
  const sentences = [
    ...said("Hidden in the sandbox because of policy", hidden, cwd),
    ...(hidden.length === 0 ? [] : ["git may show these as modified or deleted; do not commit that."]),
    ...said("Read-only in the sandbox because of policy", guarded, cwd),
    ...said("Cannot be removed in the sandbox because of policy", kept, cwd),
  ];
  return sentences.length === 0 ? undefined : sentences.join(" ");
}

function said(what: string, denied: readonly DeniedPath[], cwd: string): readonly string[] {
  if (denied.length === 0) return [];
  const named = denied.slice(0, MOST_NAMED);
  const groups = [...new Set(named.map(({ rule }) => rule))].map((rule) => {
    const names = named.filter((one) => one.rule === rule).map(({ path }) => nameOf(path, cwd));
    return `${names.join(", ")} (rule: ${rule})`;
  });
  const more = denied.length > MOST_NAMED ? ` and ${denied.length - MOST_NAMED} more` : "";
  return [`${what}: ${groups.join(", ")}${more}.`];
}

/** A name may contain anything, also text that looks like a message: what is not one plain name is quoted. */
const PLAIN = /^[\w./@+-]{1,100}$/u;
const LONGEST_NAME = 100;

/** Some paths as text, at most a few. */
export function listedNames(paths: readonly string[], cwd: string): string {
  const names = paths.slice(0, MOST_NAMED).map((path) => nameOf(path, cwd));
  const more = paths.length > MOST_NAMED ? ` and ${paths.length - MOST_NAMED} more` : "";
  return `${names.join(", ")}${more}`;
}

function nameOf(path: string, cwd: string): string {
  const name = relative(cwd, path);
  if (name === "") return ".";
  const shown = name.startsWith("..") ? path : name;
  if (PLAIN.test(shown)) return shown;
  return shown.length > LONGEST_NAME
    ? `${JSON.stringify(shown.slice(0, LONGEST_NAME))}…`
    : JSON.stringify(shown);
}
