import type { SandboxProfile } from "@toolkeep/core/ports";
import type { Limits } from "./limits.ts";
import type { Mount } from "./mount-plan.ts";
import type { SandboxUser } from "./sandbox-user.ts";

export interface ContainerPlan {
  readonly image: string;
  readonly limits: Limits;
  readonly profile: SandboxProfile;
  readonly mounts: readonly Mount[];
  readonly user: SandboxUser;
  /** Names of the variables that carry the environment of the command. */
  readonly carried: readonly string[];
}

/** Everything the engine is told, except the command itself. */
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

function mountArgs({ path, as }: Mount): readonly string[] {
  if (as === "hidden folder")
    return ["--mount", `type=tmpfs,${field("destination", path)},tmpfs-size=65536,tmpfs-mode=0555`];
  const source = as === "hidden file" ? "/dev/null" : path;
  const isOpen = as === "writable" || as === "pinned";
  const words = `type=bind,${field("source", source)},${field("destination", path)}`;
  return ["--mount", isOpen ? words : `${words},readonly`];
}

/** The engines read this as a line of comma-separated values. */
function field(name: string, path: string): string {
  return /[",\n]/.test(path) ? `"${name}=${path.replaceAll('"', '""')}"` : `${name}=${path}`;
}
