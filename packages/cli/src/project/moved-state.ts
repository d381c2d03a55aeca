import { homedir } from "node:os";
import { accountHome } from "@toolkeep/node/internal";
import type { Project } from "./read-project.ts";

/**
 * Whether a variable moves the state of Toolkeep on a machine with an administrator. Records of installations that are
 * there say which program runs commands in the sandbox and which one is the gateway: who moves them could name another
 * one, and the policy of the administrator does not move with them.
 */
export function isStateMoved({ isManaged }: Pick<Project, "isManaged">): boolean {
  if (!isManaged) return false;
  const { TOOLKEEP_HOME = "", XDG_STATE_HOME = "" } = process.env;
  return TOOLKEEP_HOME !== "" || XDG_STATE_HOME !== "" || homedir() !== accountHome();
}
