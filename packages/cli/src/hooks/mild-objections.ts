import { builtinModules } from "node:module";
import { splitCommand } from "@toolkeep/core/internal";
import type { ExplainedStep } from "@toolkeep/core/policy";
import type { EvaluatedCall } from "./refused-calls.ts";

/**
 * Whether an objection is left to a client whose user asked for few questions, in a project that the user trusts: what
 * can be read from the call itself and is no more than what trust in the project lets run anyway. Everything else that
 * no rule matches still asks, because its danger is not known.
 */
export function isMild(
  { layer, at, effect }: ExplainedStep,
  { tool, arguments: args }: EvaluatedCall,
): boolean {
  if (effect === undefined) return false;
  const { capability, target, scripts } = effect;
  if (layer === "rule")
    return at === RECOMMENDED && capability === "fs.write" && scripts?.length === 0 && namesNoSource(args);
  if (layer !== "default") return false;
  if (tool === "web_fetch") return capability === "net.fetch" && isPlainUrl(String(args["url"]));
  if (tool !== "bash" || "workdir" in args) return false;
  if (capability === "shell.run") return isPlainInstall(target) || isPlainCode(splitCommand(target));
  return capability === "shell.dynamic" && isOneEvaluation(target);
}

const RECOMMENDED = "toolkeep:recommended";
/** In a manifest: a package that does not come from the registry. */
const SOURCE =
  /:\/|\b(?:file|link|portal|patch|npm|git|github|gitlab|bitbucket|gist|workspace|https?|ssh):|"\s*[\w.-]+\/[\w.#-]+"/;

/** A manifest whose scripts stay as they are, and whose packages are names of the registry. */
function namesNoSource({ new_string: edited }: EvaluatedCall["arguments"]): boolean {
  return typeof edited === "string" && !SOURCE.test(edited);
}

const LONGEST_PATH = 100;

/** A page with a name of its own. A query could carry data away. */
function isPlainUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.protocol !== "https:" || url.port !== "") return false;
  if (`${url.username}${url.password}${url.search}${url.hash}` !== "") return false;
  const isPublic =
    /^(?:[a-z0-9-]+\.)+[a-z]{2,}$/.test(url.hostname) &&
    !/\.(?:local|internal|lan|home|arpa)$/.test(url.hostname);
  return isPublic && /^[\w/.-]*$/.test(url.pathname) && url.pathname.length <= LONGEST_PATH;
}

const INSTALLS = /^(?:npm (?:install|i|add)|pnpm add|yarn add|bun add) /;
const INSTALL_OPTION =
  /^(?:-D|-E|-P|--save(?:-dev|-exact|-prod)?|--dev|--ignore-scripts|--no-audit|--no-fund)$/;
const PACKAGE = /^(?:@[a-z0-9][\w.-]*\/)?[a-z0-9][\w.-]*(?:@[\w.^~-]+)?$/;
/** These are files, not names of the registry. */
const ARCHIVE = /\.(?:tgz|tar|gz)$/i;

/** Packages of the registry by their names. */
function isPlainInstall(target: string): boolean {
  const names = splitCommand(target)
    .slice(2)
    .filter((word) => !INSTALL_OPTION.test(word));
  if (!INSTALLS.test(target) || names.length === 0) return false;
  return names.every((name) => PACKAGE.test(name) && !ARCHIVE.test(name));
}

const EVALUATION = /^node (?:--input-type=module )?(?:-e|-p|--eval|--print) (?:"([^"]*)"|'([^']*)')$/;

/** A line that is nothing but this. The shell expands nothing in it. */
function isOneEvaluation(line: string): boolean {
  const [, double, single] = EVALUATION.exec(line.trim()) ?? [];
  const code = double ?? single;
  return code !== undefined && isPlainCode(["node", "-e", code]);
}

function isPlainCode(argv: readonly string[]): boolean {
  const [program, ...rest] = argv;
  const [option, code, ...more] = rest.filter((word) => word !== "--input-type=module");
  const isEvaluation = /^(?:-e|-p|--eval|--print)$/.test(option ?? "");
  return program === "node" && isEvaluation && more.length === 0 && callsOwnModules(code ?? "");
}

const PLAIN_CODE = /^[\w\s.,;(){}=>+*<!?:&|'"/-]*$/;
const OWN_MODULE = /^\.\/(?!.*node_modules)(?:[\w-][\w.-]*\/)*[\w-][\w.-]*\.[cm]?[jt]sx?$/;
const PLAIN_TEXT = /^[\w.]{0,40}$/;
const WORDS: ReadonlySet<string> = new Set(
  "import await async const let console true false null undefined JSON Math Number String".split(" "),
);
/** With them every object leads to the function that makes functions. */
const REACHING = /^(?:constructor|prototype|__\w+__)$/;

/** Code that imports files of the project, calls what they export with plain values, and prints. */
function callsOwnModules(code: string): boolean {
  if (!PLAIN_CODE.test(code) || /\/[*/]/.test(code)) return false;
  const texts: string[] = [];
  const bare = code.replaceAll(
    /(import\s*\(\s*)?(["'])(.*?)\2/g,
    (_, importing: string | undefined, _q, text: string) => {
      texts.push(text);
      return (importing === undefined ? PLAIN_TEXT : OWN_MODULE).test(text) ? `${importing ?? ""}0` : "#";
    },
  );
  if (/[#'"/]/.test(bare) || !texts.some((text) => OWN_MODULE.test(text))) return false;
  if (/\bimport\b(?!\s*\(\s*0)/.test(bare)) return false;
  const names = [...bare.matchAll(/(\.\s*)?\b([A-Za-z_]\w*)/g)];
  return names.every(([, member, name = ""]) =>
    member === undefined ? WORDS.has(name) || !isGlobal(name) : !REACHING.test(name),
  );
}

/** `node -e` has every built-in module as a global. */
function isGlobal(name: string): boolean {
  return name in globalThis || builtinModules.includes(name) || NODE_ONLY.has(name);
}

const NODE_ONLY: ReadonlySet<string> = new Set([
  "require",
  "module",
  "exports",
  "eval",
  "Function",
  "this",
  "new",
]);
