import { expression, rowsByName, INSTALLERS as table } from "@toolkeep/catalog/internal";
import { formsOf } from "../../commands/forms/command-forms.ts";
import { programOf } from "../../commands/meaning/command-args.ts";
import { splitCommand } from "../../contract/call/effect.ts";
import type { Objection, Watchdog } from "../../contract/policy/decision.ts";
import type { CanonicalEffect } from "../../contract/policy/policy-call.ts";
import { remembered } from "../../file-names/remembered.ts";
import { effectWatchdog } from "./verdict.ts";

/** Objects to what the user should see each time: throwing work away for good, and running untrusted downloads. */
export function riskyCommands(objection: Objection = "ask"): Watchdog {
  return effectWatchdog("risky-commands", objection, reasonAgainst);
}

const REWRITES = "It rewrites what others have.";
const DISCARDS = "It throws work away that git does not bring back.";
const INSTALLS = "It installs packages by name, which may run code of theirs.";

function reasonAgainst({ capability, target, forced }: CanonicalEffect): string | undefined {
  if (capability === "git.push") return forced ? REWRITES : undefined;
  return capability === "shell.run" ? riskOf(target).reason : undefined;
}

interface Risk {
  readonly reason?: string;
}

const riskOf = remembered<Risk>((target) => {
  const argv = splitCommand(target);
  for (const form of formsOf(argv)) {
    const [, subcommand = "", ...rest] = form;
    const program = programOf(form);
    if (program === "git" && discards(subcommand, rest)) return { reason: DISCARDS };
    if (installs(program, form.slice(1))) return { reason: INSTALLS };
  }
  return {};
});

function discards(subcommand: string, rest: readonly string[]): boolean {
  if (subcommand === "reset") return rest.some((word) => word.length > 3 && "--hard".startsWith(word));
  if (subcommand === "clean") return rest.some((word) => /^(?:-[a-zA-Z]*f|--f)/.test(word));
  if (subcommand === "stash") return rest[0] === "clear" || rest[0] === "drop";
  if (subcommand === "reflog") return rest[0] === "expire" || rest[0] === "delete";
  return subcommand === "filter-branch" || subcommand === "filter-repo";
}

/** Those of JavaScript are left out: they no longer run what they bring in, unless the project says so. */
const INSTALLERS = rowsByName(table, expression);

function installs(program: string, words: readonly string[]): boolean {
  const [first, ...rest] = words;
  if (/^python[\d.]*$/.test(program) && first === "-m") return installs(rest[0] ?? "", rest.slice(1));
  if (program === "uv" && first === "pip") return installs("pip", rest);
  const verbs = Object.hasOwn(INSTALLERS, program) ? INSTALLERS[program] : undefined;
  const verb = words.findIndex((word) => !word.startsWith("-"));
  return verbs?.test(words[verb] ?? "") === true && words.slice(verb + 1).some(isForeign);
}

const NAMES_OWN = /^-(?:r|c|e|-(?:requirement|constraint|editable|target|prefix|root|path|index-url))$/;

/** A package by its name or address. What lies in the workspace, or stands in its lists, is the project's own. */
function isForeign(word: string, index: number, words: readonly string[]): boolean {
  return !/^[-.]/.test(word) && !NAMES_OWN.test(words[index - 1] ?? "");
}
