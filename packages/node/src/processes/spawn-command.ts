import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, type Stats, unlinkSync, writeSync } from "node:fs";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SandboxedCommand } from "@toolkeep/core/ports";
import { initFrom, type NamespaceInit } from "./process-tree.ts";

/** A process that was started, and the first process of the namespace that it makes for its command. */
export interface SpawnedCommand {
  readonly child: ChildProcess;
  /** `undefined` if there is none. Known before anything of the command runs, whether it is awaited or not. */
  readonly init: Promise<NamespaceInit | undefined>;
}

interface SpawnCommandOptions {
  readonly stdio: [StdioOption, StdioOption, StdioOption];
  /** In a process group and session of its own. */
  readonly detached?: boolean;
}

type StdioOption = Exclude<StdioOptions, string>[number];

type Started = Pick<SandboxedCommand, "argv" | "environment" | "cwd" | "user" | "namespace">;

/** Starts a command with the files open that its sandbox needs. Like `spawn`, it leaves a failure to the event `error`. */
export function spawnCommand(
  command: Started,
  { stdio, detached = false }: SpawnCommandOptions,
): SpawnedCommand {
  const { argv, environment: env, cwd, user, namespace } = command;
  const [program, ...args] = argv;
  const files: StdioOption[] = [...stdio];
  const read: number[] = [];
  try {
    if (namespace !== undefined) files.push(...namespaceFiles(namespace, read));
    const child = spawn(program, args, { cwd, env, detached, stdio: files, ...user });
    if (namespace === undefined || namespace.isShared === true || child.pid === undefined)
      return { child, init: Promise.resolve(undefined) };
    const opened = child.stdio as unknown as readonly (Socket | null)[];
    return { child, init: reported(opened[REPORT_FD]) };
  } finally {
    for (const file of read) closeSync(file);
  }
}

/** From `REPORT_FD` on. What is opened to be read is added to `read`. */
function namespaceFiles(
  { isShared, filter, settings, copied = [] }: NonNullable<Started["namespace"]>,
  read: number[],
): readonly StdioOption[] {
  const opened = (file: number) => {
    read.push(file);
    return file;
  };
  const hasMore = settings !== undefined || copied.length > 0;
  return [
    isShared === true ? "ignore" : "pipe",
    filter === undefined ? "ignore" : opened(openKept(Buffer.from(filter, "base64"))),
    ...(hasMore
      ? [settings === undefined ? ("ignore" as const) : opened(openKept(Buffer.from(settings)))]
      : []),
    ...copied.map((path) => opened(openCopied(path))),
  ];
}

const EVERYBODY_READS = 0o004;

/** It is opened with the rights of this process, and a command of another user reads it: so only what everybody may read. */
export function mayBeCopied(stats: Stats): boolean {
  return stats.isFile() && (stats.mode & EVERYBODY_READS) !== 0;
}

/** Opens a file of the system, or an empty one in place of what may not be copied any more. */
function openCopied(path: string): number {
  try {
    const file = openSync(path, O_RDONLY | O_NOCTTY | O_NONBLOCK);
    if (mayBeCopied(fstatSync(file))) return file;
    closeSync(file);
  } catch {
    // It was removed since the sandbox was planned for the first time.
  }
  return openSync("/dev/null", O_RDONLY);
}

/** Never waits for a report that cannot come. */
export function reported(report: Socket | null | undefined): Promise<NamespaceInit | undefined> {
  if (report === null || report === undefined) return Promise.resolve(undefined);
  const { promise, resolve } = Promise.withResolvers<NamespaceInit | undefined>();
  let text = "";
  report.setEncoding("latin1");
  report.on("data", (chunk: string) => {
    text += chunk;
    if (text.includes("}")) resolve(initFrom(text));
  });
  report.on("error", () => {});
  report.on("close", () => resolve(initFrom(text)));
  return promise;
}

const { O_CREAT, O_EXCL, O_NOCTTY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_RDWR } = constants;
const kept = new Map<string, number>();

/**
 * Opens what the process that builds the sandbox reads: the filter for system calls, or settings. It is in a file
 * without a name: unlike a pipe, it can be read to its end without waiting for us. The same few for every command.
 */
function openKept(bytes: Buffer): number {
  const key = bytes.toString("latin1");
  const file = kept.get(key) ?? namelessFile(bytes);
  kept.set(key, file);
  // Opened anew, so that reading starts at the beginning.
  return openSync(`/proc/self/fd/${file}`, O_RDONLY);
}

function namelessFile(bytes: Buffer): number {
  const path = join(tmpdir(), `toolkeep-filter-${randomUUID()}`);
  const file = openSync(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  unlinkSync(path);
  writeSync(file, bytes);
  return file;
}

/** The files besides its streams that a sandbox with its own namespace finds open, by their numbers. */

/** It writes here which process is the first of the namespace. */
export const REPORT_FD = 3;
/** It reads the filter for system calls from here. */
export const FILTER_FD = 4;
/** It reads settings for the command's home from here, if there are some. */
export const SETTINGS_FD = 5;
/** It copies files of the system from here on. */
export const COPIED_FD = 6;
