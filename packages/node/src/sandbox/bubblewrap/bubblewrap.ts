import { ToolFailure } from "@toolkeep/core";
import { assertKnownKeys, defined, invalidOption } from "@toolkeep/core/internal";
import type { Sandbox, SandboxedCommand, SandboxProfile } from "@toolkeep/core/ports";
import { type CacheOpener, cacheOpener } from "../caches/open-caches.ts";
import { type ContainedCommand, openContained } from "../contain/contained-command.ts";
import type { RunningCommand } from "../contain/settle-changes.ts";
import { triedOnce } from "../contain/wants/want-lines.ts";
import { noteFor } from "../denied/hidden-note.ts";
import { findProgram } from "../host/installation.ts";
import { checkedLimits, type Limits, limitArgs, limitsInPlace, readHardLimits } from "../host/limits.ts";
import { environmentPlan } from "../host/private-environment.ts";
import { type SandboxUser, sandboxUser } from "../host/sandbox-user.ts";
import { isQuick, mountCheck, startingShell } from "../mounts/mount-check.ts";
import { type Mount, mountPlan, refuseTooMany } from "../mounts/mount-plan.ts";
import { type OpenMount, planWithOpenMount } from "../mounts/open-mounts.ts";
import { prepareTemporary } from "../mounts/temporary-mounts.ts";
import { surveyProfile } from "../scan/scan.ts";
import { withCopies } from "../watch/blanked-copies.ts";
import type { ProtectionOptions } from "../watch/watch-protected.ts";
import { bubblewrapArgs, type SystemMounts, systemMounts } from "./bubblewrap-args.ts";
import { checkProfile } from "./check-profile.ts";
import { type Closing, closingArgs } from "./closing-args.ts";
import { commandEnd } from "./command-end.ts";
import { checkRoot, isContained, rootProof, withRootCovers } from "./contained-root.ts";
import { type GitIdentity, gitIdentity } from "./git-identity.ts";
import { type ForwarderProgram, findForwarder, proxyPlan } from "./proxy-forwarder.ts";
import { seccompFilter } from "./seccomp-filter.ts";

export interface BubblewrapOptions {
  /** The user that commands run as if this process is root. Default: the owner of the first folder they may change. */
  readonly runAs?: SandboxUser;
  readonly limits?: Limits;
  /** Folders with programs in addition to those of the system, readable in every sandbox. Absolute and free of links. */
  readonly programs?: readonly string[];
  /** Bytes of `/tmp`, of the home folder and of shared memory in the sandbox: each separate, in memory. */
  readonly temporaryBytes?: number;
  readonly protection?: ProtectionOptions;
}

const OPTIONS = [
  "runAs",
  "limits",
  "programs",
  "temporaryBytes",
  "protection",
] satisfies (keyof BubblewrapOptions)[];
const PROTECTION = ["mostFolders", "quarantine", "onQuarantine"] satisfies (keyof ProtectionOptions)[];
const TEMPORARY_BYTES = 512 * 2 ** 20;

/**
 * A sandbox for Linux that uses the system's `bwrap`: own namespaces, no capabilities, an empty environment, limits,
 * and nothing of the machine but its programs and what the profile names. Commands never have the rights of root. Its
 * isolation level is `none` until `openSandbox` has tried to break out of it.
 *
 * @example
 * const sandbox = await openSandbox({ prefer: [bubblewrapSandbox({ programs: ["/opt/tools/bin"] })] });
 */
export function bubblewrapSandbox(options: BubblewrapOptions = {}): Sandbox {
  const settings = checkedOptions(options);
  let machine: Promise<Machine> | undefined;
  const wrapWith = (proveRoot: () => Promise<void>): Sandbox["wrap"] => {
    const wrap: Sandbox["wrap"] = (argv, profile) =>
      planWithOpenMount(profile, async (openMount) => {
        machine ??= lookAtMachine(settings.limits).catch((error: unknown) => {
          machine = undefined;
          throw error;
        });
        return sandboxed(argv, profile, { ...settings, ...(await machine), openMount, proveRoot, wrap });
      });
    return wrap;
  };
  const unproven: Sandbox = {
    ...{ name: "bubblewrap", isolation: "none", mountsTemporary: true, mountsCaches: true, contains: true },
    wrap: wrapWith(async () => {}),
  };
  return Object.freeze({ ...unproven, wrap: wrapWith(rootProof(unproven)) } satisfies Sandbox);
}

interface Settings extends BubblewrapOptions {
  readonly limits: Limits;
  readonly temporaryBytes: number;
}

function checkedOptions(options: BubblewrapOptions): Settings {
  const { runAs, temporaryBytes = TEMPORARY_BYTES, programs = [] } = options;
  const isUser = (id: number) => Number.isInteger(id) && id > 0;
  if (runAs !== undefined && !(isUser(runAs.uid) && isUser(runAs.gid)))
    throw invalidOption("`runAs` names a user and a group other than root, by number.");
  assertKnownKeys(options, OPTIONS, "bubblewrap option");
  assertKnownKeys(options.protection ?? {}, PROTECTION, "option of `protection`");
  if (!Number.isSafeInteger(temporaryBytes) || temporaryBytes < 1)
    throw invalidOption("`temporaryBytes` is a whole number above 0.");
  if (programs.some((path) => !path.startsWith("/"))) throw invalidOption("`programs` are absolute paths.");
  return { ...options, limits: checkedLimits(options.limits), temporaryBytes };
}

/** What is determined once: where the programs are that build the sandbox, and what they mount. */
interface Machine {
  /** What closes files that commands would inherit. */
  readonly closing: Closing;
  readonly bwrap: string;
  readonly shell: string;
  /** One that starts faster, and is slower where it has much to do. */
  readonly quickShell: string;
  readonly prlimit: string;
  readonly system: SystemMounts;
  readonly forwarder: ForwarderProgram;
  readonly openCaches: CacheOpener;
  /** What a layer is mounted with; `undefined` where something is missing. */
  readonly layers: RunningCommand["programs"] | undefined;
  /** Gives git the name and address of the user. */
  readonly identity: (profile: SandboxProfile, mounts: readonly Mount[]) => Promise<GitIdentity | undefined>;
  readonly hardLimits: ReadonlyMap<string, number>;
}

async function lookAtMachine({ fileSize }: Limits): Promise<Machine> {
  if (process.platform !== "linux") throw missing("bubblewrap exists on Linux alone");
  const hardLimits = readHardLimits();
  const [closing, bash, dash, bwrap, prlimit, git, forwarder, unshare, mount, system] = await Promise.all([
    closingArgs(),
    findProgram("bash"),
    findProgram("dash"),
    findProgram("bwrap"),
    findProgram("prlimit"),
    findProgram("git"),
    findForwarder(),
    findProgram("unshare"),
    findProgram("mount"),
    systemMounts(Math.min(fileSize ?? Infinity, hardLimits.get("Max file size") ?? Infinity)),
  ]);
  if (bwrap === undefined) throw missing("`bwrap` is not installed");
  if (prlimit === undefined) throw missing("`prlimit` is not installed");
  const shell = bash ?? "/bin/sh";
  const quickShell = dash ?? shell;
  const identity = gitIdentity(git);
  const layers = unshare && mount ? { unshare, mount, shell: quickShell } : undefined;
  const openCaches = cacheOpener(layers);
  const programs = { closing, shell, quickShell, bwrap, prlimit, forwarder, openCaches, layers };
  return { ...programs, system, identity, hardLimits };
}

function missing(reason: string): ToolFailure {
  return new ToolFailure("unavailable", `The sandbox for the command cannot be built: ${reason}.`, {
    hint: "Call `inspectHost()` to see what to install.",
  });
}

type Building = Settings &
  Machine & {
    readonly openMount: OpenMount;
    /** Called before the first command that runs as root. @throws ToolFailure if that is not safe here. */
    readonly proveRoot: () => Promise<void>;
    readonly wrap: Sandbox["wrap"];
  };

async function sandboxed(
  argv: readonly [string, ...string[]],
  given: SandboxProfile,
  building: Building,
): Promise<SandboxedCommand> {
  const profile = { ...given, programs: [...(building.programs ?? []), ...(given.programs ?? [])] };
  checkProfile(profile);
  const user = sandboxUser(profile, building.runAs, isContained());
  const asRoot = user?.uid === 0;
  if (asRoot) await checkRoot(profile, building.proveRoot);
  const surveyed = surveyProfile(profile, building.protection?.mostFolders);
  surveyed.catch(() => {});
  const place = await openedPlace(profile, user, building);
  try {
    return await built(argv, profile, { ...building, user, place, surveyed });
  } catch (error) {
    await place?.abandon();
    throw error;
  }
}

interface Decided extends Building {
  readonly user: SandboxUser | undefined;
  readonly place: ContainedCommand | undefined;
  /** What is found in the folders of the profile, while the place is opened. */
  readonly surveyed: ReturnType<typeof surveyProfile>;
}

async function built(
  argv: readonly [string, ...string[]],
  profile: SandboxProfile,
  building: Decided,
): Promise<SandboxedCommand> {
  const { protection = {}, temporaryBytes, openMount, user, place } = building;
  const system = user?.uid === 0 ? withRootCovers(building.system) : building.system;
  const filter = user?.uid === 0 ? ROOT_FILTER : place === undefined ? FILTER : PLACE_FILTER;
  const before = withCopies(await building.surveyed, profile);
  const proxy = await proxyPlan(profile, user, building.forwarder);
  // A line that a shell runs; other commands have their words as they are.
  const lastWord = place !== undefined && argv.at(-2) === "--" ? argv.at(-1) : undefined;
  const words = lastWord === undefined ? argv : argv.slice(0, -1);
  const environment = environmentPlan(
    { ...triedOnce(profile), ...profile.environment, ...proxy?.environment },
    lastWord,
  );
  const caches = await building.openCaches(profile, user);
  openMount.hold(caches);
  const planned = mountPlan(profile, before, caches.mounts);
  const { mounts, before: entering } = place?.over(planned) ?? { mounts: planned, before: [] };
  const hiddenNote = noteFor(argv, before, profile);
  refuseTooMany(mounts);
  prepareTemporary(profile.temporary, mounts, user);
  const identity = await building.identity(profile, mounts);
  const check = mountCheck(mounts, profile.temporary);
  const args = bubblewrapArgs({
    ...{ profile, mounts, system, temporaryBytes, environment: environment.args },
    settingsPath: identity?.settingsPath,
    isFiltered: filter !== undefined,
    ...(proxy === undefined ? {} : { proxy: proxy.mounts }),
    ...(place === undefined ? {} : { place }),
  });
  const command: SandboxedCommand = {
    argv: [
      ...building.closing(identity !== undefined, system.copied.length),
      building.prlimit,
      ...limitArgs(
        place === undefined ? building.limits : limitsInPlace(building.limits),
        building.hardLimits,
      ),
      ...entering,
      ...caches.before,
      building.bwrap,
      ...(place === undefined ? caches.args : ownIds(user)),
      ...args,
      ...startingShell(isQuick(check) ? building.quickShell : building.shell, [
        check,
        proxy?.step,
        { script: environment.script, args: [] },
      ]),
      ...words,
    ] as unknown as SandboxedCommand["argv"],
    environment: environment.builder,
    cwd: "/",
    namespace: {
      ...(filter === undefined ? {} : { filter }),
      ...(identity === undefined ? {} : { settings: identity.settings }),
      ...(system.copied.length === 0 ? {} : { copied: system.copied }),
    },
    ...defined({ hiddenNote, user }),
  };
  const done = commandEnd({ argv, profile, before, protection, openMount, sandbox: building, place });
  const namespace =
    place === undefined ? command.namespace : { ...command.namespace, isShared: true as const };
  return { ...command, ...defined({ namespace, done }) };
}

/** Within the namespace of the place the user is its root, and must not be in the sandbox. */
function ownIds(user: SandboxUser | undefined): readonly string[] {
  const { uid, gid } = user ?? { uid: process.getuid?.(), gid: process.getgid?.() };
  return ["--uid", `${uid}`, "--gid", `${gid}`];
}

/** @throws ToolFailure `unavailable` for a command that is to be contained and cannot be. */
async function openedPlace(
  { contained, ...profile }: SandboxProfile,
  user: SandboxUser | undefined,
  { layers: programs }: Machine,
): Promise<ContainedCommand | undefined> {
  if (contained === undefined) return undefined;
  if (programs === undefined || user?.uid === 0)
    throw missing(
      programs === undefined ? "`unshare` or `mount` is not installed" : "the project belongs to root",
    );
  return openContained({ ...profile, contained }, { user, programs });
}

/** The same for every command of a user. */
const FILTER = encoded(seccompFilter());
const PLACE_FILTER = encoded(seccompFilter({ inPlace: true }));
const ROOT_FILTER = encoded(seccompFilter({ asRoot: true }));

function encoded(bytes: Uint8Array | undefined): string | undefined {
  return bytes === undefined ? undefined : Buffer.from(bytes).toString("base64");
}
