import { userInfo } from "node:os";

/** The name of the current user. */
export function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return "command line";
  }
}

/**
 * The user of the operating system that gives an answer, for the audit log. No other name can be given; that it was
 * this user, and not a program of theirs, is not proven, and the log says so.
 */
export function unsignedUser(): string {
  try {
    const { username, uid } = userInfo();
    return uid < 0 ? `${username}, unsigned` : `${username} (uid ${uid}), unsigned`;
  } catch {
    const uid = process.getuid?.();
    return uid === undefined ? "command line, unsigned" : `uid ${uid}, unsigned`;
  }
}
