import { quotedWord } from "@toolkeep/core/internal";
import type { CompletedCommand, CompletedOption } from "./command-tree.ts";

/** Completes in bash, and in zsh with its functions for such scripts. */
export function bashScript(commands: readonly CompletedCommand[]): string {
  const options = commands.flatMap((command) => command.options);
  const known = commands.map(({ path }) => path).filter((path) => path !== "");
  return `_toolkeep() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD - 1]}"
  local path="" word i words="" options=""
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    case "$word" in
      ${patterns(withValue(options))}) i=$((i + 1)); continue ;;
    esac
    case "\${path:+$path }$word" in
      ${patterns(known)}) path="\${path:+$path }$word" ;;
    esac
  done
  case "$previous" in
    ${patterns(withValue(options, "folder"))}) COMPREPLY=($(compgen -d -- "$current")); return ;;
    ${patterns(withValue(options, "file"))}) COMPREPLY=($(compgen -f -- "$current")); return ;;
    ${patterns(withValue(options, "text"))}) return ;;
  esac
  case "$path" in
${commands.map(commandCase).join("\n")}
  esac
  case "$current" in
    -*) COMPREPLY=($(compgen -W "$options" -- "$current")) ;;
    *) COMPREPLY=($(compgen -W "$words" -- "$current")) ;;
  esac
}
complete -o default -F _toolkeep toolkeep`;
}

/** zsh completes with the script for bash. */
export function zshScript(commands: readonly CompletedCommand[]): string {
  return `autoload -U +X compinit && compinit
autoload -U +X bashcompinit && bashcompinit
${bashScript(commands)}`;
}

function commandCase({ path, commands, choices, options }: CompletedCommand): string {
  const words = quotedWord([...commands, ...choices].join(" "));
  return `    ${quotedWord(path)}) words=${words}; options=${quotedWord(options.flatMap(({ flags }) => flags).join(" "))} ;;`;
}

/** The options that take a value, of one kind or any. One that takes none in another command is left out. */
function withValue(options: readonly CompletedOption[], kind?: CompletedOption["value"]): readonly string[] {
  const bare = new Set(options.filter(({ value }) => value === undefined).flatMap(({ flags }) => flags));
  const found = options.filter(({ value }) => value !== undefined && (kind === undefined || value === kind));
  return [...new Set(found.flatMap(({ flags }) => flags))].filter((flag) => !bare.has(flag));
}

function patterns(words: readonly string[]): string {
  return words.length === 0 ? "''" : words.map(quotedWord).join(" | ");
}
