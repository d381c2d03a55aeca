import { expression, listIn, rowsByName, PACKAGE_HOSTS as table, wordsIn } from "@toolkeep/catalog/internal";
import { formsOf } from "../forms/command-forms.ts";

/** The hosts that a command needs, as far as its words say. */
export interface CommandHosts {
  readonly hosts: readonly string[];
  /** What decides about more of them: the registry that is configured, or the addresses of a repository's remotes. */
  readonly configured?: "npm" | "yarn" | "git";
}

/**
 * What a well-known command connects to when it does what it is known for. A command that is not known has no hosts:
 * in a sandbox it reaches none. Naming too many is harmless, because each is decided on; `ls` has none.
 */
export function commandHosts(argv: readonly string[]): CommandHosts {
  for (const [name = "", ...words] of formsOf(argv)) {
    const found = ofProgram(name.replace(/^(python|pip)[\d.]+$/, "$1"), words);
    if (found !== NONE) return found;
  }
  return NONE;
}

const NONE: CommandHosts = Object.freeze({ hosts: Object.freeze([]) });

function ofProgram(name: string, words: readonly string[]): CommandHosts {
  if (name === "python" && words[0] === "-m") return ofProgram(words[1] ?? "", words.slice(2));
  if (Object.hasOwn(MANAGERS, name)) return ofManager(name, words);
  if (TRANSFERS.has(name)) return { hosts: addressed(words) };
  if (RUNNERS.has(name)) return ofRunner(words);
  if (name === "git") return ofGit(words);
  return name === "gh" ? ofGitHub(words) : NONE;
}

interface Manager {
  /** Subcommands that use the network. */
  readonly online: string | readonly string[];
  readonly hosts?: string;
  readonly configured?: "npm" | "yarn";
}

/** Programs that fetch packages: where from, unless an argument or a configuration says otherwise. */
const MANAGERS = rowsByName(table.managers as Readonly<Record<string, Manager>>, (row) => row);

const OFFLINE = wordsIn(table.offline);

function ofManager(name: string, words: readonly string[]): CommandHosts {
  const { online, hosts, configured } = MANAGERS[name] as Manager;
  const [subcommand, operand] = words.filter((word) => !word.startsWith("-"));
  if (words.some((word) => OFFLINE.has(word))) return NONE;
  if (subcommand !== undefined && RUNS_PACKAGE.test(`${name} ${subcommand}`))
    return ofRunner(words.slice(words.indexOf(subcommand) + 1));
  const isMade = subcommand === "init" && name === "npm" && operand !== undefined;
  const isOnline =
    subcommand === undefined ? name === "yarn" : wordsIn(online).has(subcommand) || name === "uvx" || isMade;
  if (!isOnline) return NONE;
  const named = addressesIn(words);
  const isReplaced = words.some((word) => OTHER_INDEX.test(word));
  if (isReplaced || configured === undefined)
    return { hosts: isReplaced ? named : [...listIn(hosts ?? []), ...named] };
  return { hosts: named, configured };
}

/** Options that name another place to fetch from, with an address of their own. */
const OTHER_INDEX = expression(table.otherIndex);
const RUNS_PACKAGE = expression(table.runsPackage);

/** Programs that run a package, and fetch it first unless it is installed. */
const RUNNERS = wordsIn(table.runners);

/** What a project has installed for itself, as a rule. */
const LOCAL_TOOLS = wordsIn(table.localTools);

function ofRunner(words: readonly string[]): CommandHosts {
  const tool = words.find((word) => !word.startsWith("-"));
  const isHere = words.some((word) => word === "--no" || word === "--no-install" || OFFLINE.has(word));
  return tool === undefined || isHere || LOCAL_TOOLS.has(tool) ? NONE : { hosts: [], configured: "npm" };
}

const GIT_ONLINE = wordsIn(table.gitOnline);

/** An address is taken as it stands; what a name means, or none, the repository says. */
function ofGit(words: readonly string[]): CommandHosts {
  const [subcommand = "", ...rest] = words;
  const isRemote = subcommand === "remote" && /^(?:update|show|prune|set-head)$/.test(rest[0] ?? "");
  if (!GIT_ONLINE.has(subcommand) && !isRemote) return NONE;
  const named = addressesIn(rest);
  if (subcommand === "clone" || named.length > 0) return { hosts: named };
  return { hosts: [], configured: "git" };
}

function ofGitHub(words: readonly string[]): CommandHosts {
  const [subcommand = ""] = words;
  if (
    subcommand === "" ||
    subcommand.startsWith("-") ||
    /^(?:alias|completion|config|help)$/.test(subcommand)
  )
    return NONE;
  const at = words.indexOf("--hostname");
  const host = at < 0 ? undefined : hostIn(`https://${words[at + 1] ?? ""}`);
  return { hosts: host === undefined ? ["api.github.com", "github.com"] : [host] };
}

const TRANSFERS = wordsIn(table.transfers);

const ADDRESS = /^(?:-{0,2}[\w.-]+=)?(?:git\+|sparse\+)?(https?:\/\/.+)$/i;
/** A host without a scheme, as `curl` takes it. */
const BARE = /^[\w-]+(?:\.[\w-]+)+(?::\d+)?(?:[/?#].*)?$/;
const LOCALHOST = /^localhost(?::\d+)?(?:[/?#].*)?$/i;

/** The hosts of all addresses with a scheme among the words. */
function addressesIn(words: readonly string[]): readonly string[] {
  return unique(words.map((word) => ADDRESS.exec(word)?.[1]).map((address) => address && hostIn(address)));
}

/** Behind an option, a word without a scheme may be its value: then only an address counts. */
function addressed(words: readonly string[]): readonly string[] {
  const bare = words.filter((word, index) => {
    const before = words[index - 1] ?? "";
    return (BARE.test(word) || LOCALHOST.test(word)) && (!before.startsWith("-") || PLAIN_FLAG.test(before));
  });
  return unique([...addressesIn(words), ...bare.map((word) => hostIn(`http://${word}`))]);
}

/** Short options of `curl` and `wget` without a value, and those that are long and well known. */
const PLAIN_FLAG = expression(table.plainFlag);

function unique(hosts: readonly (string | undefined)[]): readonly string[] {
  return [...new Set(hosts.flatMap((host) => host ?? []))];
}

const HOST = /^(?:[a-z\d_-]+(?:\.[a-z\d_-]+)*|\[[\da-f:]+\])$/;

/** The host of an address as effects name it; `undefined` if a shell would still have to say what it is. */
function hostIn(address: string): string | undefined {
  const host = URL.parse(address)?.hostname.replace(/\.$/, "");
  return host !== undefined && host.length <= 253 && HOST.test(host) ? host : undefined;
}
