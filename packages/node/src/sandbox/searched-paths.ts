import type { SandboxProfile } from "@toolkeep/core/ports";
import { isBeneath, isWithin } from "../files/path-within.ts";

/**
 * What is searched before a command, for protected names, secrets and what rules deny: all that it may read or
 * change, but not the programs of the system. A workspace may lie among them, as `/usr/src/app` does in many
 * containers: what a command may change or runs in is searched wherever it lies.
 */
export function searchedPaths({
  read,
  write,
  cwd,
}: Pick<SandboxProfile, "read" | "write" | "cwd">): readonly string[] {
  const isOfSystem = (path: string) => SYSTEM.test(path) || (PROGRAMS.test(path) && !isWithin(cwd, path));
  const paths = [...new Set([...read, ...write])].filter((path) => write.includes(path) || !isOfSystem(path));
  const isFoundFrom = (path: string, other: string) =>
    isBeneath(path, other) && !PASSED_OVER.test(path.slice(other.length));
  return paths.filter((path) => !paths.some((other) => isFoundFrom(path, other)));
}

/** No search of a folder around them looks into these for every name. */
const PASSED_OVER = /\/(?:node_modules|site-packages|\.git)(?:\/|$)/i;

const SYSTEM = /^\/usr(?:\/local)?$/;
const PROGRAMS = /^\/usr\/(?:local\/)?(?:bin|sbin|lib[^/]*|share|include|games|etc|man)(?:\/|$)/;
