import { type GitCall, gitWords } from "./git-calls.ts";

const READING =
  /^(?:--(?:get|get-all|get-regexp|get-urlmatch|get-color|get-colorbool|list|show-origin|show-scope)(?:=|$)|-l$)/;
const ELSEWHERE = /^(?:--(?:global|system|file|blob)(?:=|$)|-f$)/;
const REMOTES: ReadonlySet<string> = new Set([
  ...["add", "rename", "remove", "rm", "set-url", "set-branches"],
]);

/**
 * Whether a git command is there to change the settings of its repository. Those can name programs that git runs, so
 * they are open only to a command that was allowed to write them.
 */
export function writesSettings({ subcommand, rest }: GitCall): boolean {
  const { options, operands } = gitWords(rest, /^(?:-f|--file|--blob|--type|--default|--comment|-t|-m)$/);
  const [first = ""] = operands;
  const has = (option: RegExp) => options.some((one) => option.test(one));
  if (subcommand === "remote") return REMOTES.has(first);
  if (subcommand === "branch")
    return has(/^(?:-u|--set-upstream-to(?:=.*)?|--unset-upstream|--edit-description)$/);
  if (subcommand !== "config" || has(READING) || has(ELSEWHERE)) return false;
  if (/^(?:list|get)$/.test(first)) return false;
  if (/^(?:set|unset|rename-section|remove-section|edit)$/.test(first)) return true;
  return (
    operands.length > 1 ||
    has(/^(?:--(?:add|unset|unset-all|replace-all|edit|rename-section|remove-section)|-e)$/)
  );
}
