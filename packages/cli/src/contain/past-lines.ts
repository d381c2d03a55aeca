import { joinCommand, visible } from "@toolkeep/core/internal";
import { ChangedSince, type ProjectPast } from "@toolkeep/node/internal";
import { CommandError, EXIT } from "../terminal/command-error.ts";
import { localTime } from "../terminal/local-time.ts";
import { type StyledLine, wrappedLines } from "../terminal/styled-lines.ts";

export type PastCommand = ProjectPast["commands"][number];

const MOST_PATHS = 6;
const IN_GIT = /(?:^|\/)\.git\/(?!hooks\/|config$)/;
const GIT_OBJECT = /(?:^|\/)\.git\/objects\//;
const INDENT = "     ";

/** The commands of a project whose changes can be looked at, each with some of its changes. */
export function changeLines(commands: readonly PastCommand[]): readonly StyledLine[] {
  return commands.flatMap((command) => [
    titleLine(command),
    ...wrappedLines([...shown("applied", someOf(command.kept)), ...shown("held", someOf(heldOf(command)))]),
  ]);
}

/** One command, with all its changes and what to do about them. */
export function wholeLines(command: PastCommand): readonly StyledLine[] {
  const { number, kept, held, folder, isUndone } = command;
  const [copies] = held.length === 0 ? [] : [joinCommand([`${folder}/upper`])];
  const objects = kept.filter((path) => GIT_OBJECT.test(path)).length;
  return [
    titleLine(command),
    ...wrappedLines([
      ...kept.filter((path) => !GIT_OBJECT.test(path)).flatMap((path) => shown("applied", visible(path))),
      ...(objects === 0 ? [] : shown("applied", `${counted(objects, "object")} of git`)),
      ...held.flatMap(({ path, why }) => shown("held", `${visible(path)}: ${visible(why)}`)),
      ...(kept.length === 0 || isUndone ? [] : [`${INDENT}Undo: \`toolkeep undo ${number}\`.`]),
      ...(copies === undefined
        ? []
        : [`${INDENT}Apply the held changes: \`toolkeep keep ${number}\`, or copy them from ${copies}.`]),
    ]),
  ];
}

function titleLine({ number, at, line, isUndone }: PastCommand): StyledLine {
  const style = isUndone ? ({ style: "dim" } as const) : {};
  return {
    text: `${`${number}`.padStart(3)}  ${localTime(at)}  ${visible(line)}${isUndone ? "  (undone)" : ""}`,
    ...style,
  };
}

const heldOf = ({ held }: PastCommand) => held.map(({ path, why }) => `${path} (${why})`);

function shown(name: string, what: string): readonly string[] {
  return what === "" ? [] : [`${INDENT}${name.padEnd(7)}  ${what}`];
}

/** What git records of its own work is counted, and not named. */
function someOf(paths: readonly string[]): string {
  const named = paths.filter((path) => !IN_GIT.test(path) || path.includes(" ("));
  const [rest, ofGit] = [named.length - MOST_PATHS, paths.length - named.length];
  const parts = [
    ...named.slice(0, MOST_PATHS),
    ...(rest > 0 ? [`${rest} more`] : []),
    ...(ofGit > 0 ? [`${ofGit} of git's own files`] : []),
  ];
  return visible(parts.join(", "));
}

/** The same as JSON, without what the store needs for itself. */
export function changeRecord({ number, at, line, kept, held, folder, isUndone }: PastCommand): object {
  const copies = held.length === 0 ? {} : { heldIn: `${folder}/upper` };
  return { number, at: new Date(at).toISOString(), command: line, isUndone, kept, held, ...copies };
}

/** Empty where no command has any. */
export function heldText(commands: number): string {
  const has = commands === 1 ? "has" : "have";
  return commands === 0
    ? ""
    : `${counted(commands, "command")} ${has} held changes. Run \`toolkeep changes\`.`;
}

export function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}

/** Undoes commands, the latest first. One that was changed since keeps them all, and the error says what to do. */
export async function undone(
  past: ProjectPast,
  commands: readonly PastCommand[],
): Promise<readonly string[]> {
  try {
    return await past.undo(...commands.map(({ number }) => number));
  } catch (error) {
    if (!(error instanceof ChangedSince)) throw error;
    const { number, paths } = error;
    const names = visible(paths.slice(0, MOST_PATHS).join(", "));
    const { folder } = commands.find((command) => command.number === number) ?? past;
    throw new CommandError(
      `Command ${number} was not undone: ${names} changed since, or is open elsewhere.`,
      {
        exit: EXIT.denied,
        hint: `Run \`toolkeep changes ${number} --diff\`. What was there before is in ${folder}: copy what you need from there.`,
      },
    );
  }
}
