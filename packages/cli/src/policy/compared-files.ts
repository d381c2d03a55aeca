import type { Action } from "@toolkeep/core";
import { ruleText } from "@toolkeep/core/internal";
import type { PolicyDifference } from "@toolkeep/core/policy";
import { parseCommand } from "@toolkeep/node";
import { diffPolicyFiles, explainPolicy, type PolicyFile, policyDefinition } from "@toolkeep/policy";
import { DANGEROUS_COMMANDS } from "../approvals/rules/example-calls.ts";
import { type NamedFile, parsedFile } from "../project/policy-files.ts";
import { CommandError, EXIT } from "../terminal/command-error.ts";
import type { RecordedSession } from "./recorded-sessions.ts";
import { callName } from "./test-reports.ts";

type Test = PolicyFile["tests"][number];

/** What two policy files say differently. */
export interface FileDifferences {
  readonly settings: readonly { readonly name: string; readonly before: string; readonly after: string }[];
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

/** A call that two files decide differently. */
export interface CallDifference {
  readonly call: string;
  readonly before: Action;
  readonly after: Action;
  /** The rule, the watchdog or the mode that decides now. */
  readonly by: string;
}

/** The rules and settings that are in one file only. @throws ToolkeepError `invalid_option` for an invalid file. */
export function comparedFiles(before: PolicyFile, after: PolicyFile): FileDifferences {
  const one = linesOf(before);
  const other = linesOf(after);
  return {
    settings: settingsOf(before).flatMap(([name, value]) => {
      const now = Object.fromEntries(settingsOf(after))[name] ?? DEFAULT;
      return value === now ? [] : [{ name, before: value, after: now }];
    }),
    added: other.filter((line) => !one.includes(line)),
    removed: one.filter((line) => !other.includes(line)),
  };
}

const DEFAULT = "default";

/** The rules of a file, with one line for each policy that it extends. */
function linesOf(file: PolicyFile): readonly string[] {
  const own = new Set(file.ownRules.map(({ rule }) => rule));
  const rules = policyDefinition(file).rules.filter((rule) => !own.has(rule));
  const counts = Map.groupBy(rules, ({ at = "elsewhere" }) => at.replace(/:\d+$/, ""));
  return [
    ...[...counts].map(([at, of]) => `the ${of.length} rules of ${at}`),
    ...file.ownRules.map(({ rule }) => ruleText(rule)),
  ];
}

const WATCHDOGS = [
  ...["secrets", "rule-of-two", "exfiltration", "protected-names", "overreach", "risky-commands"],
  ...["changed-scripts", "destruction", "loop"],
];

function settingsOf({ definition, watchdogSettings, allowList }: PolicyFile): readonly [string, string][] {
  const watchdogs = new Map(Object.entries(watchdogSettings).map(([name, value]) => [dashed(name), value]));
  return [
    ["mode", definition?.mode ?? "ask"],
    ["allow-list", allowList.join(", ") || DEFAULT],
    ["locks", definition?.locks?.join(", ") || DEFAULT],
    ["shadow", definition?.shadow?.map((rule) => ruleText(rule)).join(", ") || "none"],
    ...WATCHDOGS.map((name): [string, string] => [
      `watchdog ${name}`,
      String(watchdogs.get(name) ?? DEFAULT),
    ]),
  ];
}

function dashed(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** What the files decide about the calls of their tests, and about examples of dangerous commands. */
export async function comparedExamples(
  before: PolicyFile,
  after: PolicyFile,
): Promise<readonly CallDifference[]> {
  const examples = DANGEROUS_COMMANDS.map((argument) => ({
    call: { kind: "tool", tool: "bash", argument } as const,
    facts: {},
  }));
  const tests = [...before.tests, ...after.tests];
  const all = new Map([...tests, ...examples].map((one) => [callName(one), one]));
  const differences: CallDifference[] = [];
  for (const [name, test] of all) {
    const [one, other] = [await decided(before, test), await decided(after, test)];
    if (one === undefined || other === undefined || one.action === other.action) continue;
    differences.push({ call: name, before: one.action, after: other.action, by: other.by });
  }
  return differences;
}

/** Undefined for a call that is refused before the policy. */
async function decided(file: PolicyFile, { call, facts }: Pick<Test, "call" | "facts">) {
  try {
    const { decision } = (await explainPolicy(file, call, { facts, parseCommand })).explanation;
    return { action: decision.action, by: byOf(decision) };
  } catch {
    return undefined;
  }
}

/** What decided, and where it is written. */
export function byOf({ layer, matchedBy, at }: PolicyDifference["explanation"]["decision"]): string {
  return `${layer}: ${matchedBy}${at === undefined ? "" : ` (${at})`}`;
}

export interface SessionDifference extends CallDifference {
  readonly sessionId: string;
}

/** What two files decide about recorded calls, each in the folders of its session. */
export function comparedSessions(
  before: NamedFile,
  after: NamedFile,
  sessions: readonly RecordedSession[],
): Promise<readonly SessionDifference[]> {
  return comparedOver(sessions, (roots) => [parsedFile(before, roots), parsedFile(after, roots)]);
}

/** What the rules on trial of a file would change about recorded calls, if they held. */
export function comparedTrial(
  file: NamedFile,
  sessions: readonly RecordedSession[],
): Promise<readonly SessionDifference[]> {
  return comparedOver(sessions, (roots) => {
    const parsed = parsedFile(file, roots);
    const { rules, shadow = [] } = policyDefinition(parsed);
    return [parsed, { ...parsed, definition: { ...parsed.definition, rules: [...rules, ...shadow] } }];
  });
}

async function comparedOver(
  sessions: readonly RecordedSession[],
  filesIn: (roots: RecordedSession["roots"]) => readonly [PolicyFile, PolicyFile],
): Promise<readonly SessionDifference[]> {
  const differences: SessionDifference[] = [];
  for (const { sessionId, roots, calls } of sessions) {
    const found = await diffPolicyFiles(...filesIn(roots), calls);
    for (const { recorded, explanation, ...actions } of found.differences)
      differences.push({
        sessionId,
        call: recordedName(recorded),
        ...actions,
        by: byOf(explanation.decision),
      });
  }
  return differences;
}

/** A recorded call in one line. */
export function recordedName({ call: { found, effects } }: PolicyDifference["recorded"]): string {
  const own = effects.filter(({ implied }) => implied !== true);
  return `${found.name} ${own.map(({ capability, target }) => `${capability} ${target}`).join(", ")}`.trim();
}

/** @throws CommandError for an invalid file. */
export function validFile(file: NamedFile): PolicyFile {
  const parsed = parsedFile(file);
  if (parsed.definition !== undefined) return parsed;
  throw new CommandError(`${file.name} is invalid, so it decides nothing.`, {
    exit: EXIT.failure,
    hint: `Run toolkeep policy check ${file.name}`,
  });
}
