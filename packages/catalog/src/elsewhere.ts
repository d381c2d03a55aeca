import { capabilityNamed } from "./capabilities.ts";
import { wordsOf } from "./plain-words.ts";

const SHELL = /^(?:\/(?:usr\/)?bin\/)?(?:ba|da|a|k|z)?sh$/;
/** A command of a line: what stands in quotes divides none. */
const COMMAND = /(?:'[^']*'|"[^"]*"|[^;|&\n(){}'"])+/g;

interface Commands {
  readonly commands: readonly (readonly string[])[];
  /** Whether they are surely all of it. */
  readonly isAll: boolean;
}

/** The commands that another machine, or a container, is given: one, or those of a line for its shell. */
export function commandsElsewhere(argv: readonly string[]): Commands {
  const line = lineOf(argv);
  if (line === undefined) return { commands: [argv], isAll: true };
  const commands = [...line.matchAll(COMMAND)].map(([command]) => wordsOf(command));
  return { commands: commands.filter(({ length }) => length > 0), isAll: /^[\w\s./:=@,'"-]*$/.test(line) };
}

/** The text that a shell there reads; `undefined` where the words are a command. */
function lineOf(argv: readonly string[]): string | undefined {
  const [name = ""] = argv;
  if (!SHELL.test(name)) return argv.length === 1 && /\s/.test(name) ? name : undefined;
  const option = argv.findIndex((word) => /^-[a-z]*c$/.test(word));
  return option === -1 ? undefined : argv[option + 1];
}

/** What such a command does is done to files and services of another machine: no rule on files of this one is about it. */
export function doneElsewhere(does: readonly string[]): readonly string[] {
  return does.flatMap((one) => {
    const { kind, stays } = capabilityNamed(one) ?? {};
    if (one === "local.delete" || (stays === true && kind === "destroy")) return ["remote.destroy"];
    return stays === true ? [] : [one];
  });
}
