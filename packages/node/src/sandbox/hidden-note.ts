import { isWithin } from "@toolkeep/core/internal";
import type { SandboxProfile } from "@toolkeep/core/ports";
import { gitStates } from "../git/git-states.ts";
import { listedNames } from "./denied-note.ts";
import type { Find } from "./scan/find.ts";

const GIT = /(?:^|[^\w.-])git(?:$|[^\w.-])/;

/** For a command that uses git: what explains what git says of files with names of secrets. `undefined` for others. */
export function noteFor(
  argv: readonly string[],
  finds: readonly Find[],
  profile: SandboxProfile,
): (() => string | undefined) | undefined {
  if (!argv.some((arg) => GIT.test(arg))) return undefined;
  const hidden = hiddenNote(finds, profile);
  const kept = finds.filter(({ shown, type }) => shown === "read-only" && type === "file");
  if (hidden === undefined && kept.length === 0) return undefined;
  return () => [hidden, keptNote(kept, profile)].filter(Boolean).join(" ") || undefined;
}

/**
 * The tracked files that are hidden because of their names, or shown without their secrets. What rules deny is named
 * already.
 */
function hiddenNote(
  finds: readonly Find[],
  { read, write, cwd, isDeniedToRead }: SandboxProfile,
): string | undefined {
  const isOpen = (path: string) => read.includes(path) || write.includes(path);
  const hidden = finds.filter(
    ({ path, isModified }) => isModified === true && !isOpen(path) && isDeniedToRead?.(path) !== true,
  );
  if (hidden.length === 0) return undefined;
  const names = listedNames(
    hidden.map(({ path }) => path),
    cwd,
  );
  return `Tracked by git, changed, and hidden in the sandbox because of the name: ${names}. Leave it out of git commands, or have git diff, add or commit -a ask for it.`;
}

/** Files that were as recorded before the command and are not any more: git records others, and could not write them. */
function keptNote(finds: readonly Find[], { read, write, cwd }: SandboxProfile): string | undefined {
  const paths = finds.map(({ path }) => path).filter((path) => !write.includes(path));
  const isVisible = (path: string) => [...read, ...write].some((folder) => isWithin(path, folder));
  const kept = [...gitStates(paths, isVisible)].flatMap(([path, state]) =>
    state === "modified" ? path : [],
  );
  if (kept.length === 0) return undefined;
  const [names, one] = [listedNames(kept, cwd), listedNames(kept.slice(0, 1), cwd)];
  return `Now different from what git records, because commands cannot change what decides what is run: ${names}. To take what git records, run \`git checkout -- ${one}\`, which asks.`;
}
