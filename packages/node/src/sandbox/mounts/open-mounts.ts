import { isBeneath } from "@toolkeep/core/internal";
import type { SandboxProfile } from "@toolkeep/core/ports";

/** What one command may change, from the time its sandbox is planned until none of its processes is left. */
interface MountRecord {
  readonly paths: readonly string[];
  readonly from: number;
  /** `undefined` while the command runs. */
  until: number | undefined;
}

/**
 * Commands run side by side; what one of them may change, another one must reckon with. One entry for each
 * command and not for each path: two commands with the same path are both over only when both have ended.
 */
const openMounts = new Set<MountRecord>();

/** What a command has open, for itself and for those that run at the same time. */
export interface OpenMount {
  /** The command has ended: it can swap nothing any more. */
  end(): void;
  /** What was open to any command at any time since this one began. */
  openMeanwhile(): readonly string[];
  /** Something that the command holds until it is forgotten. */
  hold(held: { close(): void }): void;
  /** Nothing about this command is asked any more. */
  forget(): void;
}

/**
 * Plans the sandbox of a command. What the command may change is open from the start of the plan, so that two
 * commands that are planned at the same time see each other; it is forgotten where the plan fails.
 */
export async function planWithOpenMount<Planned>(
  profile: Pick<SandboxProfile, "write">,
  plan: (openMount: OpenMount) => Promise<Planned>,
): Promise<Planned> {
  const openMount = keepOpenMounts(profile);
  try {
    return await plan(openMount);
  } catch (error) {
    openMount.forget();
    throw error;
  }
}

/** Notes what a command may change, before anything is looked at for it. */
export function keepOpenMounts({ write }: Pick<SandboxProfile, "write">): OpenMount {
  const own: MountRecord = { paths: [...write], from: performance.now(), until: undefined };
  const holds = new Set<{ close(): void }>();
  let isAsked = true;
  openMounts.add(own);
  active.add(own);
  return {
    end() {
      own.until ??= performance.now();
    },
    openMeanwhile: () => [
      ...new Set([...openMounts].filter((one) => endsAfter(one, own.from)).flatMap(({ paths }) => paths)),
    ],
    hold: (held) => void holds.add(held),
    forget() {
      if (!isAsked) return;
      for (const held of holds) held.close();
      isAsked = false;
      own.until ??= performance.now();
      active.delete(own);
      forgetEnded();
    },
  };
}

/** Those whose look at what was open meanwhile is still to come. */
const active = new Set<MountRecord>();

/** What ended before all of those began concerns none of them. */
function forgetEnded(): void {
  let oldest = Number.POSITIVE_INFINITY;
  for (const { from } of active) oldest = Math.min(oldest, from);
  for (const one of openMounts) if (!endsAfter(one, oldest)) openMounts.delete(one);
}

function endsAfter({ until }: MountRecord, time: number): boolean {
  return until === undefined || until >= time;
}

/** Whether a running command could replace what is at a path. */
export function canBeSwapped(path: string): boolean {
  return [...openMounts].some(
    ({ paths, until }) => until === undefined && paths.some((folder) => isBeneath(path, folder)),
  );
}
