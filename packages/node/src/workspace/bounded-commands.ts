import { ToolFailure } from "@toolkeep/core";
import type { CommandOutcome, Grant } from "@toolkeep/core/ports";
import type { AttachableCommands } from "../processes/guarded-commands.ts";
import { TEMPORARY_BOUNDS, type TemporaryFolder } from "./temporary-folder.ts";

/** Looks after what the commands of a session keep in their folder for temporary files. */
export interface TemporaryWatch {
  /** Empties the folder if it holds too much; returns whether it did. */
  tidy(): Promise<boolean>;
  /** Calls back when the folder holds too much, until it is told to stop. */
  follow(onOver: () => void): () => void;
}

const POLL_MS = 500;
/** Looking takes at most a part of the time. */
const SHARE = 20;

export function watchTemporary(folder: TemporaryFolder, pollMs: number = POLL_MS): TemporaryWatch {
  const followers = new Set<() => void>();
  let timer: NodeJS.Timeout | undefined;
  let lookedFor = 0;
  let lookedAt = Number.NEGATIVE_INFINITY;

  async function isOver(): Promise<boolean> {
    const from = performance.now();
    const over = await folder.isOver().catch(() => false);
    lookedAt = performance.now();
    lookedFor = lookedAt - from;
    return over;
  }

  function lookLater(): void {
    if (timer !== undefined || followers.size === 0) return;
    timer = setTimeout(look, Math.max(pollMs, lookedFor * SHARE)).unref();
  }

  async function look(): Promise<void> {
    const over = await isOver();
    timer = undefined;
    if (over) {
      for (const onOver of followers) onOver();
      await folder.empty();
    }
    lookLater();
  }

  return {
    async tidy() {
      const isRecent = performance.now() - lookedAt < lookedFor * SHARE;
      if (folder.made === undefined || isRecent || !(await isOver())) return false;
      await folder.empty();
      return true;
    },
    follow(onOver) {
      followers.add(onOver);
      lookLater();
      return () => followers.delete(onOver);
    },
  };
}

/** Commands that are ended when the session's folder for temporary files holds too much. */
export function boundedCommands(
  grant: Grant,
  watch: TemporaryWatch,
  commandsOf: (grant: Grant) => AttachableCommands,
): AttachableCommands {
  function begin() {
    const over = new AbortController();
    const stop = watch.follow(() => over.abort());
    const commands = commandsOf({ ...grant, abortSignal: AbortSignal.any([grant.abortSignal, over.signal]) });
    const failure = (error: unknown) =>
      over.signal.aborted && !grant.abortSignal.aborted ? tooMuch() : error;
    return { commands, stop, failure };
  }

  /** Until the command is over, which may be long after it was started. */
  async function followed<Running extends { readonly exited: Promise<unknown> }>(
    start: (commands: AttachableCommands) => Promise<Running>,
  ): Promise<Running> {
    await watch.tidy();
    const { commands, stop } = begin();
    try {
      const running = await start(commands);
      running.exited.then(stop, stop);
      return running;
    } catch (error) {
      stop();
      throw error;
    }
  }

  return {
    async run(command) {
      const isEmptied = await watch.tidy();
      const { commands, stop, failure } = begin();
      try {
        const outcome = await commands.run(command);
        return isEmptied ? withNote(outcome) : outcome;
      } catch (error) {
        throw failure(error);
      } finally {
        stop();
      }
    },
    start: (command) => followed((commands) => commands.start(command)),
    attach: (command) => followed((commands) => commands.attach(command)),
  };
}

const MOST = `${TEMPORARY_BOUNDS.bytes / 2 ** 30} GB or ${TEMPORARY_BOUNDS.entries} files`;

function withNote(outcome: CommandOutcome): CommandOutcome {
  const emptied = `/tmp held more than ${MOST}: it was emptied before this command.`;
  return { ...outcome, note: outcome.note === undefined ? emptied : `${emptied} ${outcome.note}` };
}

function tooMuch(): ToolFailure {
  return new ToolFailure(
    "too_large",
    `The command was ended: it kept more than ${MOST} in /tmp, which was emptied.`,
    {
      hint: "Keep large files in the workspace, or remove what is not needed while the command runs.",
    },
  );
}
