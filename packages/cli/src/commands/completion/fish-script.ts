import type { CompletedCommand, CompletedOption } from "./command-tree.ts";

/** Completes in fish, with the descriptions. */
export function fishScript(commands: readonly CompletedCommand[]): string {
  const known = commands.map(({ path }) => path).filter((path) => path !== "");
  const byPath = new Map(commands.map((command) => [command.path, command]));
  return `function __toolkeep_at
    set -l path
    set -l words (commandline -opc)
    for word in $words[2..-1]
        if contains -- (string join ' ' $path $word) ${known.map(quoted).join(" ")}
            set -a path $word
        end
    end
    test "$path" = "$argv[1]"
end
${commands.flatMap((command) => linesOf(command, byPath)).join("\n")}`;
}

function linesOf(
  { path, commands, choices, options }: CompletedCommand,
  byPath: ReadonlyMap<string, CompletedCommand>,
): readonly string[] {
  const start = `complete -c toolkeep -n ${quoted(`__toolkeep_at '${path}'`)}`;
  const described = (name: string) => byPath.get(path === "" ? name : `${path} ${name}`)?.description ?? "";
  return [
    ...commands.map((name) => `${start} -f -a ${quoted(name)} -d ${quoted(described(name))}`),
    ...(choices.length === 0 ? [] : [`${start} -f -a ${quoted(choices.join(" "))}`]),
    ...options.map((option) => `${start} ${optionOf(option)}`),
  ];
}

function optionOf({ flags, description, value }: CompletedOption): string {
  const names = flags.map((flag) => (flag.startsWith("--") ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`));
  const takes = value === undefined ? [] : [value === "text" ? "-x" : "-r"];
  return [...names, ...takes, `-d ${quoted(description)}`].join(" ");
}

/** Only these two are special in single quotes. */
function quoted(text: string): string {
  return `'${text.replaceAll(/[\\']/g, String.raw`\$&`)}'`;
}
