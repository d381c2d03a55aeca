import type { Grant } from "@toolkeep/core/ports";

/** What a call that runs commands is granted. It may do anything, unless `check` says otherwise. */
export function shellGrant(more: Partial<Pick<Grant, "abortSignal" | "check">> = {}): Grant {
  return {
    ...{ toolName: "shell", callId: "c1", requires: {}, ceilings: [], effects: [] },
    abortSignal: new AbortController().signal,
    refuse() {
      throw new Error("nothing is refused here");
    },
    check() {},
    ...more,
  };
}
