import { visible } from "@toolkeep/core/internal";
import { ChangedSince, type ProjectPast } from "@toolkeep/node/internal";
import { CommandError, EXIT } from "../terminal/command-error.ts";
import { localTime } from "../terminal/local-time.ts";

type PastCommand = ProjectPast["commands"][number];

const MOST_PATHS = 10;

/** The commands of a project whose changes can be looked at. */
export function changeLines(commands: readonly PastCommand[], isWhole: boolean): readonly string[] {
  if (commands.length === 0) return ["No contained command has changed anything here."];
  return commands.flatMap(({ number, at, line, kept, held, folder, isUndone }) => [
    `${number}  ${localTime(at)}  ${visible(line)}${isUndone ? "  (undone)" : ""}`,
    ...shown("kept", kept, isWhole),
    ...shown(
      "held",
      held.map(({ path, why }) => `${path} (${why})`),
      isWhole,
    ),
    ...(held.length === 0
      ? []
      : [`     what is held is in ${folder}/upper; keep it with \`toolkeep keep ${number}\``]),
  ]);
}

function shown(name: string, paths: readonly string[], isWhole: boolean): readonly string[] {
  if (paths.length === 0) return [];
  const some = isWhole ? paths : paths.slice(0, MOST_PATHS);
  const rest = paths.length - some.length;
  return [`     ${name}: ${visible(some.join(", "))}${rest === 0 ? "" : ` and ${rest} more`}`];
}

/** Undoes commands, the latest first. One that was changed since ends it, with what to do. */
export async function undone(
  past: ProjectPast,
  commands: readonly PastCommand[],
): Promise<readonly string[]> {
  const paths: string[] = [];
  for (const { number, folder } of commands) {
    try {
      paths.push(...(await past.undo(number)));
    } catch (error) {
      if (!(error instanceof ChangedSince)) throw error;
      const names = visible(error.paths.slice(0, MOST_PATHS).join(", "));
      throw new CommandError(
        `Command ${number} was not undone: ${names} changed since, or is open elsewhere.`,
        {
          exit: EXIT.denied,
          hint: `What was there before is in ${folder}: copy what you need from there.`,
        },
      );
    }
  }
  return paths;
}
