import { readPaths } from "../../commands/meaning/read-paths.ts";
import type { Variables } from "../../contract/call/effect.ts";
import type { Label } from "../../contract/call/result.ts";
import type { PolicyCall } from "../../contract/policy/policy-call.ts";
import type { Rule } from "../../contract/policy/rule.ts";
import { compileGlob } from "../patterns/compile-glob.ts";
import { compileRule } from "../rules/compile-rule.ts";
import { quoted } from "./verdict.ts";

/** What a policy says of paths: what is read there is private, or comes from outside. */
interface PathLabel {
  readonly label: Label;
  /** As a line of a policy file. */
  readonly words: string;
  /** Where it is written. */
  readonly at?: string;
  /** Whether a path, or anything in a tree (`…/**`), has the label. */
  covers(path: string): boolean;
}

export type PathLabels = readonly PathLabel[];

/** A path that a call reads, with its label. */
export interface LabelledRead {
  readonly label: Label;
  readonly words: string;
  readonly at?: string;
  readonly path: string;
  /** What the call does: `reads "/repo/customers/a.csv", which … `. */
  readonly by: string;
}

export const NO_LABELS: PathLabels = Object.freeze([]);

/** The labels among rules. All of them apply: none takes another away. @throws ToolkeepError `invalid_rule`. */
export function pathLabels(rules: readonly Rule[], variables: Variables = {}): PathLabels {
  const labels = rules.flatMap((rule): readonly PathLabel[] => {
    if (rule.label === undefined) return [];
    const { words, patterns } = compileRule(rule, variables);
    // A folder has what is in it.
    const compiled = patterns
      .flatMap((one) => [one, `${one.replace(/(?<!\/)\/+$/, "")}/**`])
      .map(compileGlob);
    const covers = (path: string) => compiled.some((pattern) => pattern.mayMatch(path, "path"));
    return [{ label: rule.label, words, covers, ...(rule.at === undefined ? {} : { at: rule.at }) }];
  });
  return labels.length === 0 ? NO_LABELS : Object.freeze(labels);
}

/** What a call reads of labelled paths: the first path of each label line. */
export function labelledReads(
  { effects }: Pick<PolicyCall, "effects">,
  labels: PathLabels,
  roots: readonly string[],
): readonly LabelledRead[] {
  if (labels.length === 0) return [];
  const open = new Set(labels);
  const found: LabelledRead[] = [];
  for (const { effect, path } of readPaths(effects, roots)) {
    for (const one of open) {
      if (!one.covers(path)) continue;
      open.delete(one);
      const { label, words, at } = one;
      const does =
        effect.capability === "fs.read"
          ? `reads ${quoted(path)}`
          : `runs ${quoted(effect.target)}, which may read ${quoted(path)}`;
      const place = at === undefined ? "" : ` (${at})`;
      const by = `${does}: \`${words}\`${place}`;
      found.push({ label, words, path, by, ...(at === undefined ? {} : { at }) });
    }
    if (open.size === 0) break;
  }
  return found;
}
