import type { SandboxProfile } from "@toolkeep/core/ports";
import { isPlainRepository } from "../../git/plain-repository.ts";

/** Where commands for it made repositories. Other commands that ran meanwhile find them at their own end. */
const made = new Set<string>();

/** Whether a command may leave a repository there. Another command could write to it too, so it must be plain each time. */
export function isMadeRepository(path: string, { makesRepository = false }: SandboxProfile): boolean {
  const isMade = (makesRepository || made.has(path)) && isPlainRepository(path);
  if (isMade) made.add(path);
  return isMade;
}
