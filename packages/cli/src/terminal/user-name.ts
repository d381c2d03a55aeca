import { userInfo } from "node:os";

/** The name of the current user, for the audit log. */
export function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return "command line";
  }
}
