import { dirname } from "node:path";
import type { SandboxProfile } from "@toolkeep/core/ports";
import { type Find, isSecretKind } from "../scan/find.ts";
import { listedNames } from "./denied-note.ts";

const GIT = /(?:^|[^\w.-])git(?:$|[^\w.-])/;
const LISTING = /(?:^|[\s;&|(])(?:ls|ll|dir|tree|find|stat)(?=\s+[^;&|]*-|\s*$)/;
const DELETING = /\bgit\b[^;&|\n]*\bbranch\b[^;&|\n]*\s(?:-[a-z]*[dD]|--delete)\b/;

/** What explains what git and listings say of hidden and closed files. `undefined` for other commands. */
export function noteFor(
  argv: readonly string[],
  finds: readonly Find[],
  profile: SandboxProfile,
): (() => string | undefined) | undefined {
  const has = (pattern: RegExp) => argv.some((arg) => pattern.test(arg));
  const note = [
    has(GIT) ? hiddenNote(finds, profile) : undefined,
    has(DELETING) && profile.write.length > 0 ? DELETED : undefined,
    !has(GIT) && has(LISTING) ? listedNote(finds, profile) : undefined,
  ].filter((one) => one !== undefined);
  return note.length === 0 ? undefined : () => note.join(" ");
}

const DELETED =
  "git may say that it could not write .git/config, which is closed to commands: that is about the settings of the branch alone. The branch itself is deleted if git says so.";

/** A hidden file in the folder of the command looks like a device to a listing. */
function listedNote(finds: readonly Find[], { read, write, cwd }: SandboxProfile): string | undefined {
  const isOpen = (path: string) => read.includes(path) || write.includes(path);
  const hidden = finds.filter(
    ({ path, kind, shown, copy }) =>
      isSecretKind(kind) &&
      shown === undefined &&
      copy === undefined &&
      dirname(path) === cwd &&
      !isOpen(path),
  );
  if (hidden.length === 0) return undefined;
  const paths = hidden.map(({ path }) => path);
  return `Hidden in the sandbox because of the name: ${listedNames(paths, cwd)}.`;
}

/** The tracked files that are hidden by their names, or shown without secrets. What rules deny is named already. */
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
