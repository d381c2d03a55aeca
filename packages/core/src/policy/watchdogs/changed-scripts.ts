import { formsOf } from "../../commands/command-forms.ts";
import type { CanonicalEffect } from "../../contract/call.ts";
import { splitCommand } from "../../contract/effect.ts";
import type { Objection, Watchdog } from "../../contract/watchdog.ts";
import { programOf } from "./command-args.ts";
import { runnersOf } from "./script-files.ts";
import { objects, PASSES, quoted } from "./verdict.ts";

/**
 * Objects to a command that runs a file which this session changed: a rule that allows `npm test`
 * did not allow what it has become since.
 */
export function changedScripts(objection: Objection = "ask"): Watchdog {
  return Object.freeze({
    name: "changed-scripts",
    evaluate({ effects }, { changedScripts }) {
      if (changedScripts.size === 0) return PASSES;
      for (const { capability, target } of effects as readonly CanonicalEffect[]) {
        const path = capability === "shell.run" ? changedBehind(target, changedScripts) : undefined;
        if (path !== undefined)
          return objects(
            objection,
            `It runs what stands in ${quoted(path)}, which was changed in this session.`,
          );
      }
      return PASSES;
    },
  } satisfies Watchdog);
}

function changedBehind(command: string, scripts: ReadonlySet<string>): string | undefined {
  const programs = new Set(formsOf(splitCommand(command)).map(programOf));
  return [...scripts].find((path) => runnersOf(path)?.some((runner) => programs.has(runner)));
}
