import type { Rule } from "@toolkeep/core";
import { visible } from "@toolkeep/core/internal";
import { ruleText } from "@toolkeep/core/policy";
import { coverageOf } from "../approvals/rules/covered-examples.ts";
import { ruleWords } from "../approvals/rules/rule-words.ts";
import { allowCommand } from "../project/policy-advice.ts";
import { readProject } from "../project/read-project.ts";
import { withStore } from "../project/store/with-store.ts";
import { EXIT } from "../terminal/command-error.ts";
import { counted } from "../terminal/counted.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { recordedSessions } from "./recorded-sessions.ts";
import { type Suggestion, suggestedRules } from "./suggested-rules.ts";

export interface SuggestOptions {
  readonly project?: string | undefined;
  readonly store?: string | undefined;
}

/** Shows the narrowest rules from what was approved in recorded sessions. Adds none of them. */
export async function suggestFromRecords(options: SuggestOptions, terminal: Terminal): Promise<number> {
  const project = await readProject({ cwd: terminal.cwd, folder: options.project });
  const isHarmless = async (rules: readonly Rule[]) => {
    const { others, held, itself } = await coverageOf(rules, project);
    const isFree = held.length === 0 && itself?.decision.action !== "deny";
    return { exact: isFree, wide: isFree && others.length === 0 };
  };
  const found = await withStore(
    terminal.cwd,
    async (store) => {
      terminal.note("Reading the recorded sessions…");
      const { sessions, skipped } = await recordedSessions(store);
      if (skipped > 0)
        terminal.note(`${counted(skipped, "session")} left out: the record does not say where they worked.`);
      return { sessions: sessions.length, skipped, ...(await suggestedRules(sessions, project, isHarmless)) };
    },
    options.store,
  );
  const { suggestions, asked, approved, unsayable } = found;
  terminal.show({ ...found, suggestions: suggestions.map(record) }, suggestions.flatMap(lines));
  terminal.note(
    `${counted(asked, "question")} on record; ${approved} of them were approved and would be asked again.`,
  );
  if (unsayable > 0) terminal.note(`${unsayable} of these cannot be said as a rule, and keep asking.`);
  if (suggestions.length === 0) terminal.note("There is nothing to suggest.");
  return EXIT.ok;
}

function record({ rules, asks, isWide }: Suggestion) {
  return { asks, isWide, rules: rules.map(ruleText), commands: rules.map(allowCommand) };
}

function lines({ rules, asks, isWide }: Suggestion): readonly string[] {
  return [
    `Removes ${counted(asks, "question")}${isWide ? ", and allows similar calls" : ""}:`,
    ...rules.flatMap((rule) => [`  ${allowCommand(rule)}`, `    ${visible(ruleWords(rule))}`]),
  ];
}
