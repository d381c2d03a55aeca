import { ToolFailure } from "@toolkeep/core";
import { defined } from "@toolkeep/core/internal";
import type { Sandbox, SandboxedCommand } from "@toolkeep/core/ports";
import type { ContainedCommand } from "../contain/contained-command.ts";
import { joinedFailure, watchLeft } from "../git/git-left.ts";
import { watchRefs } from "../git/moved-refs.ts";
import { decidingPaths } from "../scan/configured-finds.ts";
import { type ProtectedWatch, watchProtected } from "../watch/watch-protected.ts";

interface CommandEnd extends ProtectedWatch {
  readonly argv: readonly string[];
  /** What looks at a repository are made in. */
  readonly sandbox: Pick<Sandbox, "wrap">;
  readonly place: ContainedCommand | undefined;
}

/** What follows a command; nothing where it can change nothing. */
export function commandEnd(ending: CommandEnd): SandboxedCommand["done"] {
  const { argv, profile, before, openMount, sandbox, place } = ending;
  const isWritten = profile.write.length > 0;
  if (!isWritten && place === undefined) {
    openMount.forget();
    return undefined;
  }
  const moved = isWritten ? watchRefs(argv, before, profile, { sandbox, hidden: profile.hidden }) : undefined;
  if (place === undefined) {
    const unchanged = watchLeft(argv, before, profile);
    return watchProtected({ ...ending, left: async () => joinedFailure(unchanged(), await moved?.()) });
  }
  const isThrough = isWritten && !place.isLayered;
  const rest = isThrough ? watchProtected({ ...ending, left: async () => moved?.() }) : openMount.forget;
  const deciding = decidingPaths(before, profile.write);
  return async (end) => {
    let kept = 0;
    try {
      kept = await place.done(end, deciding);
    } finally {
      await rest();
    }
    const failure = isThrough ? undefined : await moved?.();
    if (failure === undefined) return;
    const { code, message, hint } = failure;
    // The commits can be looked at only once they are in the project.
    if (kept === 0) throw failure;
    throw new ToolFailure(code, `${message} ${kept} of its changes are in the project.`, defined({ hint }));
  };
}
