import type { Rule } from "@toolkeep/core";
import { ruleText } from "@toolkeep/core/internal";
import { readProject } from "../project/read-project.ts";
import { withStore } from "../project/store/with-store.ts";
import { CommandError } from "../terminal/command-error.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { findRequest, requestLines } from "./pending-requests.ts";
import { addRules } from "./rules/add-rules.ts";

export interface RuleApproval {
  /** The id of the request; may be shortened. */
  readonly id: string;
  readonly project: string | undefined;
  readonly yes: boolean | undefined;
}

/**
 * Adds the wider rules that a request lists to the user's policy, and returns them: they are the answer. Only all of
 * them together allow the call.
 * @throws CommandError for a request without such rules, and as `addRules`.
 */
export async function addSuggestedRules(
  { id, project: folder, yes }: RuleApproval,
  terminal: Terminal,
): Promise<readonly Rule[]> {
  const pending = await withStore(terminal.cwd, (store) => store.waiting());
  const found = findRequest(id, pending);
  const rules = "suggestions" in found.request ? found.request.suggestions : [];
  if (rules.length === 0)
    throw new CommandError("This request lists no wider rules.", {
      hint: "Run again without --rule, or with --always.",
    });
  terminal.note(requestLines(found, pending).join("\n"));
  const project = await readProject({ cwd: terminal.cwd, folder });
  await addRules({ lines: rules.map(ruleText), project, yes }, terminal);
  return rules;
}
