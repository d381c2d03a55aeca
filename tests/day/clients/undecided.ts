/**
 * Whether a call was refused because its hook could not decide, in the words of any client. On a busy machine a hook
 * may be too late: it blocks the call then, and that says nothing about the policy.
 */
export function isUndecided(result: string): boolean {
  return /\bcould not decide\b|\bhook exited with code 2\b/.test(result);
}
