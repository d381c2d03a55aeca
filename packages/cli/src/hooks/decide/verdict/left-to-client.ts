import type { ExplainedStep } from "@toolkeep/core/policy";
import type { EvaluatedCall } from "./refused-calls.ts";

/**
 * Whether an objection is left to a client whose user asked for few questions, in a project that the user trusts. Four
 * things are, and each can be read from the call as a whole: versions in a manifest, a public page without a query,
 * packages of the registry without their scripts, and a function of the project's sources. Everything else that no rule
 * matches still asks, because its danger is not known.
 */
export function isMild(
  { layer, at, effect }: ExplainedStep,
  { tool, arguments: args }: EvaluatedCall,
): boolean {
  if (layer === "rule") return at === RECOMMENDED && effect?.versionsOnly === true;
  if (layer !== "default") return false;
  if (tool === "web_fetch") return effect?.capability === "net.fetch" && isPage(String(args["url"]));
  const line = lineOf({ tool, arguments: args });
  const isCommand = effect?.capability === "shell.run" || effect?.capability === "shell.dynamic";
  return isCommand && line !== undefined && (isInstall(line, "--ignore-scripts") || OWN_FUNCTION.test(line));
}

/** The same install without the scripts of the packages, for a line that would be mild then. */
export function withoutScripts(call: EvaluatedCall): string | undefined {
  const line = lineOf(call);
  if (line === undefined || !isInstall(line)) return undefined;
  return line.replace(INSTALL, "$& --ignore-scripts");
}

const RECOMMENDED = "toolkeep:recommended";

/** The line of a command that runs in the folder of the project. */
function lineOf({ tool, arguments: { command, ...rest } }: EvaluatedCall): string | undefined {
  return tool === "bash" && typeof command === "string" && !("workdir" in rest) ? command.trim() : undefined;
}

const LONGEST_URL = 120;
const PAGE =
  /^https:\/\/(?:[a-z0-9-]+\.)+(?!(?:local|localhost|internal|intranet|lan|home|corp|arpa)\/)[a-z]{2,}\/[\w/.-]*$/;

/** A public page with a name of its own. A query could carry data away, and so could a long name. */
function isPage(text: string): boolean {
  const { href } = URL.canParse(text) ? new URL(text) : { href: "" };
  return href.length <= LONGEST_URL && PAGE.test(href);
}

const INSTALL = /^npm (?:install|i|add)(?= )/;
const SHOWN_END = /(?: 2>&1)?(?: \| (?:tail|head) -(?:n ?)?\d{1,4})?$/;
const OPTION = /^(?:-[DEPO]|--save(?:-dev|-exact|-prod|-optional)?|--no-audit|--no-fund|--ignore-scripts)$/;
const PACKAGE = /^(?:@[a-z0-9][\w.-]*\/)?[a-z0-9][\w.-]*(?:@[\w.^~-]+)?$/;
/** These are files, not names of the registry. */
const ARCHIVE = /\.(?:tgz|tar|gz)$/i;

/** A line that is nothing but an install of packages of the registry by their names. */
function isInstall(line: string, needed?: string): boolean {
  if (!INSTALL.test(line)) return false;
  const args = line.replace(SHOWN_END, "").replace(INSTALL, "").trim().split(/ +/);
  const names = args.filter((arg) => !OPTION.test(arg));
  if (names.length === 0 || (needed !== undefined && !args.includes(needed))) return false;
  return names.every((name) => PACKAGE.test(name) && !ARCHIVE.test(name));
}

const SOURCE = String.raw`\./(?:src|lib)/(?:[\w-][\w.-]*/)*[\w-][\w.-]*\.[cm]?[jt]s`;
const VALUE = String.raw`(?:-?\d+(?:\.\d+)?|true|false|null|'[\w.]*'|\[\]|\{\})`;

/**
 * A line that imports one file under `src` or `lib`, calls one function that it exports with plain values, and prints
 * the result. A test of the project, which runs unasked where the project is trusted, can do the same.
 */
const OWN_FUNCTION = new RegExp(
  String.raw`^node -e "import\('(?!.*node_modules)${SOURCE}'\)\.then\(\(?(\w+)\)? ?=> ?console\.log\(\1\.\w+\((?:${VALUE}(?:, ?${VALUE})*)?\)\)\);?"$`,
);
