import { splitCommand } from "@toolkeep/core/internal";
import type { ExplainedStep } from "@toolkeep/core/policy";
import type { Manners } from "../../../clients/manners.ts";
import type { EvaluatedCall } from "./refused-calls.ts";

/**
 * Programs that a client may run without a question because it knows some of their forms to only read. What a form of
 * them asks about is asked by us, because it is not known whether the client does.
 */
const MAYBE_QUIET: ReadonlySet<string> = new Set(
  (
    "ls cat head tail wc nl tac grep egrep fgrep rg find fd tree du df stat file diff cmp comm sort uniq cut tr paste " +
    "column seq basename dirname realpath readlink jq yq awk gawk sed md5sum sha1sum sha256sum sha512sum pwd which " +
    "whereis type command date cal echo printf true false uname id whoami groups who w hostname hostid arch cd test [ " +
    "sleep nproc uptime free ps pgrep top lsof ss netstat ip ifconfig ping nslookup dig host xargs base64 base32 " +
    "hexdump od xxd strings less more man help history alias export env printenv set git gh glab docker podman " +
    "locale getconf tput stty tty rev fold fmt expand unexpand join pr tsort look sum cksum b2sum expr bc " +
    "time timeout nice nohup stdbuf"
  ).split(" "),
);

/** Programs of which only these first words may be run without a question. */
const QUIET_FORMS: readonly (readonly [programs: RegExp, first: RegExp])[] = [
  [
    /^(?:npm|pnpm|yarn|bun)$/,
    /^(?:-.*|ls|list|view|info|show|outdated|audit|explain|why|config|search|ping)?$/,
  ],
  [/^(?:node|deno|python3?|ruby|perl|php|go|cargo|java)$/, /^(?:--?[vVh]\w*|version|help)?$/],
];

/** Programs that start another one. A client may look at them alone, and effects have only the other. */
const WRAPPED = /(?:^|[\s;|&({])(?:time|timeout|nice|ionice|nohup|stdbuf|env|command|builtin|exec)\s/;

/** Programs that change files, which a client may run without a question where it accepts edits. */
const FILE_PROGRAMS: ReadonlySet<string> = new Set(
  "mkdir touch rm rmdir mv cp ln tee chmod install".split(" "),
);

/**
 * Whether the client surely asks its user by itself about a call with these objections, so that its own rules, its
 * "don't ask again" and its mode apply to it.
 */
export function isAskedByClient(
  { tool, arguments: { command }, isRemote }: EvaluatedCall & { readonly isRemote: boolean },
  objections: readonly ExplainedStep[],
  { asks }: Pick<Manners, "asks">,
): boolean {
  if (asks === "nothing") return false;
  if (isRemote || tool === "web_fetch" || tool === "web_search") return true;
  if (tool === "write" || tool === "edit" || tool === "delete") return asks === "calls";
  if (tool !== "bash") return false;
  // The client asks about a line as a whole, so one command that it asks about is enough. It may know more forms of a
  // line that hides its commands than we do.
  const isReadable =
    !WRAPPED.test(String(command)) &&
    objections.every(({ effect }) => effect?.capability !== "shell.dynamic");
  // A name in quotes is read in another way by some.
  const words = new Set(String(command).split(/[\s;|&(){}]+/));
  return (
    isReadable &&
    objections.some(({ effect }) => effect !== undefined && isAskedCommand(effect, { words, asks }))
  );
}

function isAskedCommand(
  { capability, target }: NonNullable<ExplainedStep["effect"]>,
  { words, asks }: Pick<Manners, "asks"> & { readonly words: ReadonlySet<string> },
): boolean {
  if (capability !== "shell.run") return false;
  const [path = "", first = ""] = splitCommand(target);
  if (!words.has(path)) return false;
  const program = path.replace(/^.*\//, "");
  if (MAYBE_QUIET.has(program)) return false;
  if (QUIET_FORMS.some(([programs, forms]) => programs.test(program) && forms.test(first))) return false;
  return asks === "calls" || !FILE_PROGRAMS.has(program);
}
