import { ToolFailure } from "@toolkeep/core";
import { invalidOption } from "@toolkeep/core/internal";
import type { Sandbox, SandboxProfile } from "@toolkeep/core/ports";
import { findProgram } from "./host/installation.ts";
import { checkedLimits, type Limits } from "./host/limits.ts";
import { carriedEnvironment } from "./host/private-environment.ts";
import { type SandboxUser, sandboxUser } from "./host/sandbox-user.ts";
import { startingShell } from "./mounts/mount-check.ts";
import { type Mount, mountPlan } from "./mounts/mount-plan.ts";
import { planWithOpenMount } from "./mounts/open-mounts.ts";
import { surveyProfile } from "./scan/scan.ts";
import { type ProtectionOptions, watchProtected } from "./watch/watch-protected.ts";

interface ContainerOptions {
  readonly engine: "docker" | "podman";
  /** The image that commands run in, best by its digest. It must be there: nothing is pulled. */
  readonly image: string;
  readonly limits?: Limits;
  /** The user that commands run as. Default: the user of this process, unless that is root. */
  readonly runAs?: SandboxUser;
  readonly protection?: ProtectionOptions;
}

/**
 * A sandbox that starts a container for each command, with `docker` or `podman`. Only its arguments are tested, never a
 * daemon: its isolation level is `none` until `openSandbox` has probed it here.
 *
 * @example
 * const sandbox = await openSandbox({ prefer: [containerSandbox({ engine: "podman", image: "node:24" })] });
 */
export function containerSandbox(options: ContainerOptions): Sandbox {
  const limits = checkedLimits(options.limits);
  const { protection = {} } = options;
  if (!/^[\w][\w./:@-]*$/.test(options.image)) throw invalidOption("`image` is the name of an image.");
  return Object.freeze({
    name: `container (${options.engine})`,
    isolation: "none",
    async wrap(argv, profile) {
      if (profile.hosts !== "any" && profile.hosts.length > 0)
        throw new ToolFailure(
          "unavailable",
          "A container reaches all hosts or none; bubblewrap and sandbox-runtime decide by host.",
        );
      return planWithOpenMount(profile, async (openMount) => {
        const engine = await findProgram(options.engine);
        if (engine === undefined)
          throw new ToolFailure("unavailable", `\`${options.engine}\` is not installed.`);
        const before = await surveyProfile(profile, protection.mostFolders);
        const user = options.runAs ?? sandboxUser(profile, undefined) ?? ourselves();
        const { builder, script } = carriedEnvironment(profile.environment);
        const prefix = startingShell("/bin/sh", [{ script, args: [] }]);
        // Programs of this machine are for its own system, and an image has another.
        const mounts = mountPlan({ ...profile, programs: [] }, before);
        const args = containerArgs({
          ...{ ...options, limits, profile, user, mounts },
          carried: Object.keys(builder),
        });
        return {
          argv: [engine, ...args, ...prefix, ...argv],
          environment: { ...builder, PATH: "/usr/bin:/bin" },
          cwd: "/",
          done: watchProtected({ profile, before, protection, openMount }),
        };
      });
    },
  } satisfies Sandbox);
}

function ourselves(): SandboxUser {
  return { uid: process.getuid?.() ?? 65_534, gid: process.getgid?.() ?? 65_534 };
}

interface ContainerPlan {
  readonly image: string;
  readonly limits: Limits;
  readonly profile: SandboxProfile;
  readonly mounts: readonly Mount[];
  readonly user: SandboxUser;
  /** Names of the variables that carry the environment of the command. */
  readonly carried: readonly string[];
}

/** All arguments of the engine, without the command itself. */
export function containerArgs(plan: ContainerPlan): readonly string[] {
  const { image, limits, profile, mounts, user, carried } = plan;
  return [
    ...["run", "--rm", "--interactive", "--init", "--pull", "never", "--log-driver", "none"],
    ...["--network", profile.hosts === "any" ? "bridge" : "none"],
    ...["--read-only", "--cap-drop", "ALL", "--security-opt", "no-new-privileges", "--ipc", "private"],
    ...["--user", `${user.uid}:${user.gid}`, ...limitArgs(limits)],
    ...["--tmpfs", "/tmp:rw,nosuid,nodev,size=512m,mode=1777"],
    ...mounts.flatMap(mountArgs),
    // By their names alone: the values come from the environment of the engine's own process.
    ...carried.flatMap((name) => ["--env", name]),
    ...["--workdir", profile.cwd, "--entrypoint", "", image],
  ];
}

function limitArgs({ memory, fileSize, openFiles, cpuSeconds, processes }: Limits): readonly string[] {
  return [
    ...(memory === undefined ? [] : ["--memory", `${memory}`, "--memory-swap", `${memory}`]),
    ...(processes === undefined ? [] : ["--pids-limit", `${processes}`]),
    ...(fileSize === undefined ? [] : ["--ulimit", `fsize=${fileSize}`]),
    ...(openFiles === undefined ? [] : ["--ulimit", `nofile=${openFiles}`]),
    ...(cpuSeconds === undefined ? [] : ["--ulimit", `cpu=${cpuSeconds}`]),
    ...["--ulimit", "core=0"],
  ];
}

function mountArgs({ path, as, source: given = path }: Mount): readonly string[] {
  if (as === "hidden folder")
    return ["--mount", `type=tmpfs,${field("destination", path)},tmpfs-size=65536,tmpfs-mode=0555`];
  const source = as === "hidden file" ? "/dev/null" : given;
  const isOpen = as === "writable" || as === "pinned";
  const args = `type=bind,${field("source", source)},${field("destination", path)}`;
  return ["--mount", isOpen ? args : `${args},readonly`];
}

/** The engines read this as a line of comma-separated values. */
function field(name: string, path: string): string {
  return /[",\n]/.test(path) ? `"${name}=${path.replaceAll('"', '""')}"` : `${name}=${path}`;
}
