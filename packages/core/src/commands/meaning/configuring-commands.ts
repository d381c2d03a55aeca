import { expression, GIT_COMMANDS, PROGRAM_KINDS, wordsIn } from "@toolkeep/catalog/internal";
import { formsOf } from "../forms/command-forms.ts";
import { programOf } from "./command-args.ts";

/** Settings of a repository that run nothing and lead nowhere. */
const HARMLESS_SETTINGS = expression(GIT_COMMANDS.harmlessSettings);

const READING_CONFIG = expression(GIT_COMMANDS.readingConfig);
const PACKAGE_MANAGERS = wordsIn(PROGRAM_KINDS.configuredManagers);
const CHANGING = new Set(["set", "add", "edit", "delete", "unset"]);

/** Why a command changes configuration without naming its file; `undefined` where it does not. */
export function changesConfiguration(argv: readonly string[]): string | undefined {
  const program = programOf(argv);
  const words = argv.slice(1);
  if (program === "git") return configuresGit(argv) ? GIT_REASON : undefined;
  if (program === "crontab") {
    return words.includes("-l") ? undefined : "It changes what is run at set times.";
  }
  if (program === "visudo" || program === "sudoedit") return "It edits files of the operating system.";
  if (PACKAGE_MANAGERS.has(program) && words[0] === "config" && CHANGING.has(words[1] ?? "")) {
    return "It changes the configuration of the package manager.";
  }
  return undefined;
}

const GIT_REASON = "It changes the configuration of git, which can run programs.";

/** `git -c key=value` sets it for one command, which is enough to run a program. */
function setsForOnce(argv: readonly string[]): boolean {
  return argv.some((word, index) => {
    if (word.startsWith("--config-env")) return true;
    const setting = word === "-c" ? argv[index + 1] : word.startsWith("-c") ? word.slice(2) : undefined;
    return setting?.includes(".") === true && !HARMLESS_SETTINGS.test(setting.split("=")[0] ?? "");
  });
}

function configuresGit(argv: readonly string[]): boolean {
  if (setsForOnce(argv)) return true;
  return formsOf(argv).some(([_name, subcommand, ...rest]) => {
    if (subcommand !== "config" || rest.some((word) => READING_CONFIG.test(word))) return false;
    const [key, value] = rest.filter((word) => !word.startsWith("-") && word !== "set");
    const isQuestion = key !== undefined && value === undefined && rest.length === 1;
    return !isQuestion && !HARMLESS_SETTINGS.test(key ?? "");
  });
}
