import { existsSync, readFileSync } from "node:fs";
import { chmod, mkdir, realpath, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, resolve } from "node:path";
import type { Rule } from "@toolkeep/core";
import { visible } from "@toolkeep/core/internal";
import { withFileLock, writeOwnedFile } from "@toolkeep/node/internal";
import { type PolicyFile, parsePolicy } from "@toolkeep/policy";
import { addRule, formatDiagnostic } from "@toolkeep/policy/internal";
import { allowCommand, allowCommands } from "../../project/policy-advice.ts";
import type { Project } from "../../project/read-project.ts";
import { CommandError, EXIT, usageError } from "../../terminal/command-error.ts";
import { confirmed, type Terminal } from "../../terminal/terminal.ts";
import { type Coverage, coverageOf } from "./covered-examples.ts";
import { ruleWords } from "./rule-words.ts";

export interface RulesToAdd {
  /** Lines of a policy file. */
  readonly lines: readonly string[];
  readonly project: Project;
  readonly yes: boolean | undefined;
  /** Whether rules are refused that also cover one of the examples of dangerous calls. */
  readonly isNarrowOnly?: boolean;
}

/** What was added, for `--json`. */
export interface AddedRules {
  readonly file: string;
  readonly rules: readonly string[];
  readonly alsoAllows: readonly string[];
}

/**
 * Adds rules to the user's policy file, once the user has seen what they cover and confirmed. Undefined if the file has
 * them already.
 * @throws CommandError for rules that another rule overrides, that would allow what protects Toolkeep or keys, or that
 * the user does not confirm.
 */
export async function addRules(
  { lines, project, yes, isNarrowOnly = false }: RulesToAdd,
  terminal: Terminal,
): Promise<AddedRules | undefined> {
  const file = await realpath(project.policyFile).catch(() => project.policyFile);
  const { rules, missing } = withLines(readText(file), lines, file);
  if (missing.length === 0) return undefined;
  const coverage = await coverageOf(rules, project);
  refuseHeld(coverage);
  for (const { action } of rules) refuseOverridden(action, coverage);
  if (isNarrowOnly) refuseWide(coverage);
  terminal.note([...missing.map((line) => `  ${visible(line)}`), ...rules.map(ruleWords)].join("\n"));
  const isAllowed = rules.every(({ action }) => action === "allow");
  const found = isAllowed ? [...triedLines(coverage), ...coveredLines(coverage)] : [];
  if (found.length > 0) terminal.note(found.map((line) => visible(line)).join("\n"));
  const what = missing.length === 1 ? "this rule" : "these rules";
  const question = `Add ${what} to ${file}?`;
  await confirmed({ question, yes, refused: "No rule was added." }, terminal);
  await write(file, lines);
  return { file, rules: missing, alsoAllows: coverage.others };
}

/** The text with the lines that it does not have yet, and the rules that they are. @throws CommandError if it is invalid then. */
function withLines(text: string | undefined, lines: readonly string[], file: string) {
  const known = text === undefined ? [] : parsed(text, file).ownRules.map((one) => one.text);
  const missing = lines.filter((line) => !known.includes(line));
  const next = missing.reduce<string | undefined>(addRule, text);
  const all = next === undefined ? [] : parsed(next, file).ownRules;
  const added = all.slice(known.length);
  if (missing.length > 0 && added.length === 0)
    throw new CommandError(`The rules of ${file} are not a list, so none can be added.`, {
      hint: "Write them as a list under `rules:`.",
    });
  return { next, missing, rules: added.map(({ rule }): Rule => rule) };
}

function parsed(text: string, file: string): PolicyFile {
  const policy = parsePolicy(text, {
    file,
    scope: "manifest",
    home: homedir(),
    extends: (name) => readText(resolve(dirname(file), name)),
  });
  if (policy.diagnostics.length === 0) return policy;
  throw usageError(
    [
      "The policy file would be invalid, so nothing was added.",
      ...policy.diagnostics.map(formatDiagnostic),
    ].join("\n"),
  );
}

function readText(file: string): string | undefined {
  return existsSync(file) ? readFileSync(file, "utf8") : undefined;
}

/** Reads the file again: it may have changed while the user decided. */
async function write(file: string, lines: readonly string[]): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await withFileLock(`${file}.lock`, async () => {
    const { next = "" } = withLines(readText(file), lines, file);
    const before = await stat(file).catch(() => undefined);
    await writeOwnedFile(file, next);
    if (before !== undefined) await chmod(file, before.mode & 0o777);
  });
}

function refuseHeld({ held }: Coverage): void {
  if (held.length === 0) return;
  throw new CommandError(
    `The rule is not added, because it would weaken what protects Toolkeep itself or your keys: \`${held[0]}\`.`,
    { exit: EXIT.denied, hint: "Use a pattern that is more specific." },
  );
}

function refuseWide({ others }: Coverage): void {
  if (others.length === 0) return;
  throw new CommandError(`The rule is not added, because it also covers \`${others[0]}\`.`, {
    exit: EXIT.denied,
  });
}

/** A rule that changes nothing about the calls that it names would only seem to. */
function refuseOverridden(action: Rule["action"], { itself }: Coverage): void {
  if (itself === undefined || itself.decision.action === action) return;
  const { action: now, matchedBy, reason = matchedBy, at = "" } = itself.decision;
  if (now === "ask") return;
  const still = now === "deny" ? "denied" : "allowed";
  const why = now === "deny" ? reason : `\`${matchedBy}\``;
  throw new CommandError(
    `The rule is not added, because \`${itself.shown}\` would still be ${still}: ${why}${at === "" || why.includes(at) ? "" : ` (${at})`}`,
    {
      exit: EXIT.denied,
      hint: now === "deny" ? "A deny overrides every other rule." : "Remove that rule, or narrow it.",
    },
  );
}

function triedLines({ itself }: Coverage): readonly string[] {
  if (itself === undefined) return [];
  const { shown, decision, missing, hasNoOptions } = itself;
  if (hasNoOptions)
    return [
      `Toolkeep knows no options of \`${shown}\`: with an option it still asks. To allow one as well, run \`${allowCommand({ action: "allow", permission: "shell.run", pattern: `${shown} --example *` })}\` with that option.`,
    ];
  if (decision.action !== "ask") return [];
  const still = `\`${shown}\` would still ask: ${decision.reason ?? decision.matchedBy}`;
  return [missing.length === 0 ? still : `${still} Run ${allowCommands(missing)} as well.`];
}

function coveredLines({ others }: Coverage): readonly string[] {
  return others.length === 0
    ? ["None of the examples of dangerous calls that were tried is covered by it."]
    : ["It also covers calls like these, which ask or are denied now:", ...others.map((one) => `  ${one}`)];
}
