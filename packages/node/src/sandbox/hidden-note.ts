import type { SandboxProfile } from "@toolkeep/core/ports";
import { listedNames } from "./denied-note.ts";
import type { Find } from "./scan/find.ts";

const GIT = /(?:^|[^\w.-])git(?:$|[^\w.-])/;

/**
 * For a command that uses git: the tracked files that are hidden because of their names, or shown without their secrets.
 * Without this, errors of git and what it says about such a file would be a riddle. What rules deny is named already.
 */
export function hiddenNote(
  argv: readonly string[],
  finds: readonly Find[],
  { read, write, cwd, isDeniedToRead }: SandboxProfile,
): string | undefined {
  const isOpen = (path: string) => read.includes(path) || write.includes(path);
  const hidden = finds.filter(
    ({ path, isModified }) => isModified === true && !isOpen(path) && isDeniedToRead?.(path) !== true,
  );
  if (hidden.length === 0 || !argv.some((arg) => GIT.test(arg))) return undefined;
  const names = listedNames(
    hidden.map(({ path }) => path),
    cwd,
  );
  return `Tracked by git, changed, and hidden in the sandbox because of the name: ${names}. Leave it out of git commands, or have git diff, add or commit -a ask for it.`;
}
