import type { Watchdog } from "../../contract/policy/decision.ts";
import { actionOf } from "../rules/called-action.ts";
import { watchdog } from "./verdict.ts";

/** What runs code, deletes, commits or pushes among the manager tools. */
const DANGEROUS: readonly string[] = [
  "bash_manager",
  "code_exec",
  "file_manager.delete",
  "git_manager.commit",
  "git_manager.push",
];

/** Asks for dangerous actions, whatever the rules allow. An entry is a tool, or a tool and its action. */
export function dangerousActions(actions: readonly string[] = DANGEROUS): Watchdog {
  const names = new Set(actions);
  return watchdog("dangerous-actions", "ask", (call) => {
    const { name } = call.found;
    const action = actionOf(call);
    const isDangerous = names.has(name) || (action !== undefined && names.has(`${name}.${action}`));
    return isDangerous ? "The host application listed this action as dangerous." : undefined;
  });
}
