import { randomBytes } from "node:crypto";
import { lstatSync, realpathSync } from "node:fs";
import { ToolFailure } from "@toolkeep/core";
import { quotedWord, unlessThrown } from "@toolkeep/core/internal";
import type { Sandbox, SandboxedCommand, SandboxProfile } from "@toolkeep/core/ports";
import { findRipgrep } from "../files/ripgrep.ts";
import { findProgram } from "./host/installation.ts";
import { carriedEnvironment } from "./host/private-environment.ts";
import { type SandboxUser, sandboxUser } from "./host/sandbox-user.ts";
import {
  type LoadedSandboxRuntime,
  loadSandboxRuntime,
  type SandboxRuntimeConfig,
} from "./load-sandbox-runtime.ts";
import { startingShell } from "./mounts/mount-check.ts";
import { mountPlan } from "./mounts/mount-plan.ts";
import { type OpenMount, planWithOpenMount } from "./mounts/open-mounts.ts";
import { changeMode } from "./mounts/open-up.ts";
import { RUNTIME_FOLDERS } from "./runtime-folders.ts";
import type { Find } from "./scan/find.ts";
import { surveyProfile } from "./scan/scan.ts";
import { type ProtectionOptions, watchProtected } from "./watch/watch-protected.ts";

export interface SandboxRuntimeOptions {
  /** The user that commands run as if this process is root. Default: the owner of the first folder they may change. */
  readonly runAs?: SandboxUser;
  /** Folders with programs in addition to those of the system, readable in every sandbox. */
  readonly programs?: readonly string[];
  readonly protection?: ProtectionOptions;
}

/**
 * A sandbox that uses the package `@anthropic-ai/sandbox-runtime`, exactly 0.0.83: for macOS, and where a command may
 * reach some hosts and no others. It sets no limits on memory, processes or files, and keeps one configuration for the
 * whole process, which no other code may set. Its isolation level is `none` until `openSandbox` has probed it.
 */
export function sandboxRuntime(options: SandboxRuntimeOptions = {}): Sandbox {
  return Object.freeze({
    name: "sandbox-runtime",
    isolation: "none",
    async wrap(argv, profile) {
      if (profile.hosts === "any" || profile.hosts.includes("*"))
        throw new ToolFailure(
          "unavailable",
          "This sandbox lets commands reach hosts by their names, not all hosts.",
        );
      return whileInUse(() =>
        planWithOpenMount(profile, async (openMount) =>
          sandboxed(argv, profile, { ...options, ...(await started()), openMount }),
        ),
      );
    },
    close: closeIfIdle,
  } satisfies Sandbox);
}

/** Commands that use the package now, of all sandboxes in this process. */
let commands = 0;
let isToBeClosed = false;

async function whileInUse(wrap: () => Promise<SandboxedCommand>): Promise<SandboxedCommand> {
  commands += 1;
  isToBeClosed = false;
  const command = await wrap().catch(async (error: unknown) => {
    await forget();
    throw error;
  });
  return { ...command, done: () => (command.done?.() ?? Promise.resolve()).finally(forget) };
}

async function forget(): Promise<void> {
  commands -= 1;
  if (isToBeClosed) await closeIfIdle();
}

/** Commands of another workspace go on; the last of them closes it. */
async function closeIfIdle(): Promise<void> {
  isToBeClosed = commands > 0;
  if (!isToBeClosed) await closeSandboxRuntime();
}

let running: Promise<LoadedSandboxRuntime> | undefined;

/** Once for the process: the package keeps its proxy and its settings there. */
function started(): Promise<LoadedSandboxRuntime> {
  running ??= start().catch((error: unknown) => {
    running = undefined;
    throw error;
  });
  return running;
}

export function isSandboxRuntimeOpen(): boolean {
  return running !== undefined;
}

/** Ends the proxy that the package runs in this process, so that the process can end. */
export async function closeSandboxRuntime(): Promise<void> {
  const loaded = await running?.catch(() => undefined);
  running = undefined;
  await loaded?.manager.reset();
}

async function start(): Promise<LoadedSandboxRuntime> {
  const loaded = await loadSandboxRuntime();
  const [bwrapPath, socatPath, rg] = await Promise.all([
    findProgram("bwrap"),
    findProgram("socat"),
    findRipgrep().catch(() => undefined),
  ]);
  const paths = { ...(bwrapPath && { bwrapPath }), ...(socatPath && { socatPath }) };
  const ripgrep = rg === undefined ? {} : { ripgrep: { command: rg } };
  await loaded.manager.initialize({ ...CLOSED, ...paths, ...ripgrep });
  const { errors } = loaded.manager.checkDependencies();
  if (errors.length === 0) return loaded;
  throw new ToolFailure("unavailable", `sandbox-runtime misses something: ${errors.join("; ")}.`, {
    hint: "Call `inspectHost()` to see what to install.",
  });
}

const CLOSED: SandboxRuntimeConfig = {
  network: { allowedDomains: [], deniedDomains: [] },
  filesystem: { denyRead: ["/"], allowRead: [], allowWrite: [], denyWrite: [] },
  mandatoryDenySearchDepth: 10,
};

async function sandboxed(
  argv: readonly [string, ...string[]],
  profile: SandboxProfile,
  building: SandboxRuntimeOptions & LoadedSandboxRuntime & { readonly openMount: OpenMount },
): Promise<SandboxedCommand> {
  const { manager, folder, programs = [], runAs, protection = {}, openMount } = building;
  const user = sandboxUser(profile, runAs);
  const before = await surveyProfile(profile, protection.mostFolders);
  const sockets = [manager.getLinuxHttpSocketPath(), manager.getLinuxSocksSocketPath()].flatMap(
    (path) => path ?? [],
  );
  if (user !== undefined) for (const path of sockets) openToAll(path);
  const needed = [...programs, ...(profile.programs ?? []), folder, ...sockets];
  const filesystem = filesystemFor(profile, before, needed);
  const { builder, script } = carriedEnvironment(profile.environment);
  const prefix = startingShell("/bin/sh", [{ script, args: [] }]);
  const line = [...prefix, ...argv].map(quotedWord).join(" ");
  // It lets a process use the hosts of this command, so it must not be guessable.
  const commandId = randomBytes(24).toString("base64url");
  const options = { commandId, commandText: argv[0] };
  const wrapped = await manager.wrapWithSandboxArgv(
    line,
    "/bin/bash",
    { filesystem },
    undefined,
    undefined,
    options,
  );
  manager.registerCommandNetworkLists(commandId, {
    allowedDomains: [...(profile.hosts as readonly string[])],
  });
  const watched = watchProtected({ profile, before, protection, openMount });
  return {
    argv: wrapped.argv as readonly [string, ...string[]],
    environment: { ...builder, PATH: "/usr/bin:/bin" },
    cwd: profile.cwd,
    ...(user === undefined ? {} : { user }),
    async done() {
      manager.unregisterCommandNetworkLists(commandId);
      manager.cleanupAfterCommand();
      await watched();
    },
  };
}

/**
 * The proxy belongs to root then, and the command must be able to connect to it. It requires a password of its own, so
 * it may be open to all; and it stays root's, so that it cannot be replaced.
 */
function openToAll(socket: string): void {
  if (lstatSync(socket, { throwIfNoEntry: false }) === undefined) return;
  changeMode(socket, (stats) => (stats.isSocket() && stats.uid === 0 ? 0o666 : undefined));
}

/** Nothing can be read but what is named; where the package keeps its own list of protected names, ours is added. */
export function filesystemFor(
  profile: SandboxProfile,
  finds: readonly Find[],
  needed: readonly string[],
): SandboxRuntimeConfig["filesystem"] {
  const mounts = mountPlan(profile, finds);
  const pathsAs = (...kinds: readonly string[]) =>
    mounts.filter(({ as }) => kinds.includes(as)).map(({ path }) => path);
  return {
    denyRead: ["/", ...pathsAs("hidden file", "hidden folder")],
    allowRead: [
      ...(RUNTIME_FOLDERS[process.platform] ?? []).filter(exists),
      ...needed,
      ...profile.read,
      ...profile.write,
    ],
    allowWrite: profile.write.filter(exists),
    // It has nothing for what may be changed and not removed, so such a path is not changed either.
    denyWrite: [
      ...pathsAs("guarded", "hidden file", "hidden folder"),
      ...(profile.kept ?? []).filter(exists),
    ],
  };
}

function exists(path: string): boolean {
  return unlessThrown(() => realpathSync.native(path) !== "") ?? false;
}
