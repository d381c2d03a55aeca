import { existsSync, lstatSync, readdirSync } from "node:fs";
import { ToolFailure } from "@toolkeep/core";
import type { Sandbox, SandboxProfile } from "@toolkeep/core/ports";
import { readProc } from "../../processes/proc.ts";
import { probeSandbox } from "../probe/probe-sandbox.ts";
import type { SystemMounts } from "./bubblewrap-args.ts";

/*
 * In a container nearly everything belongs to root, and often there is no other user. There a command runs as root, but
 * with nothing that makes root more than the owner of its files: in a user namespace without capabilities, without a way
 * to get any, and with what files of root alone would still allow taken away (see `filterFor` and `rootCovers`).
 */

let known: boolean | undefined;

/** Whether this process is in a container, so that its root is not the root of a machine that people use. */
export function isContained(): boolean {
  known ??= MARKS.some(existsSync) || isMapped() || CONTAINER.test(readProc("self/cgroup") ?? "");
  return known;
}

const MARKS = ["/.dockerenv", "/run/.containerenv"];
const CONTAINER = /\/(?:docker|kubepods|libpod|lxc|containerd)\b/;

/** A root of a user namespace is an ordinary user outside. */
function isMapped(): boolean {
  return !/^\s*0\s+0\s+4294967295\s*$/.test(readProc("self/uid_map") ?? "");
}

/** Those of processes, which a process namespace limits, those that are masked anyway, and links to them. */
const OF_PROCESSES = /^(?:\d+|self|thread-self|net|mounts|sys|keys)$/;

/**
 * What the kernel lets root change or read because it is the owner of a file in `/proc`, whatever capabilities it has,
 * is made read-only, or unreadable where others cannot read it either.
 */
export function withRootCovers(system: SystemMounts): SystemMounts {
  rootCovers ??= readdirSync("/proc")
    .filter((name) => !OF_PROCESSES.test(name))
    .flatMap((name) => coverOf(`/proc/${name}`));
  return { ...system, covers: [...system.covers, ...rootCovers] };
}

let rootCovers: readonly string[] | undefined;

function coverOf(path: string): readonly string[] {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined || stats.isSymbolicLink()) return [];
  if (stats.isDirectory()) return ["--ro-bind", path, path];
  if ((stats.mode & 0o004) === 0) return ["--ro-bind", "/dev/null", path];
  return (stats.mode & 0o222) === 0 ? [] : ["--ro-bind", path, path];
}

/**
 * Checks that a command may run as root: never on the network of this process, where other programs of root listen that
 * trust root.
 * @throws ToolFailure `unavailable`
 */
export async function checkRoot(
  { hosts, write, read }: Pick<SandboxProfile, "hosts" | "read" | "write">,
  proveRoot: () => Promise<void>,
): Promise<void> {
  const path = write[0] ?? read[0] ?? "the workspace";
  if (hosts === "any")
    throw new ToolFailure(
      "unavailable",
      `The command would have all of the network as root, because ${path} belongs to root.`,
      { hint: HINT },
    );
  await proveRoot();
}

const HINT = "Give the folder to an ordinary user (chown), or name one with the sandbox's option `runAs`.";

/** Tries once to break out of a sandbox as root; again if that could not be tried. */
export function rootProof(sandbox: Sandbox): () => Promise<void> {
  let proof: Promise<void> | undefined;
  return () => {
    proof ??= tryAsRoot(sandbox).catch((error: unknown) => {
      proof = undefined;
      throw error;
    });
    return proof;
  };
}

async function tryAsRoot(sandbox: Sandbox): Promise<void> {
  const { isolation, probes, error } = await probeSandbox(sandbox, { uid: 0, gid: 0 });
  if (isolation === "files-and-network") return;
  const open = probes.filter(({ result }) => result === "open" || result === "untried");
  const why = error ?? `not blocked: ${open.map(({ tries }) => tries).join(", ")}`;
  throw new ToolFailure("unavailable", `A sandboxed command cannot run as root here (${why}).`, {
    hint: HINT,
  });
}
