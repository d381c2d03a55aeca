import { sandboxUser } from "../host/sandbox-user.ts";
import { isContained } from "./contained-root.ts";

/** Whether there is a user whom commands that change this folder can run as: never root outside of a container. */
export function canConfine(folder: string): boolean {
  try {
    sandboxUser({ read: [], write: [folder], cwd: folder }, undefined, isContained());
    return true;
  } catch {
    return false;
  }
}
