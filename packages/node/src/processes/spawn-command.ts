import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import { closeSync } from "node:fs";
import type { Socket } from "node:net";
import type { SandboxedCommand } from "@toolkeep/core/ports";
import { openFilter } from "./filter-file.ts";
import { FILTER_FD, REPORT_FD } from "./namespace-files.ts";
import { initFrom, type NamespaceInit } from "./namespace-init.ts";

/** A process that was started, and the first process of the namespace that it makes for its command. */
export interface SpawnedCommand {
  readonly child: ChildProcess;
  /** `undefined` where there is none. Known before anything of the command runs, if it is awaited or not. */
  readonly init: Promise<NamespaceInit | undefined>;
}

export interface SpawnCommandOptions {
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
  const filter = namespace?.filter === undefined ? undefined : openFilter(namespace.filter);
  if (namespace !== undefined) {
    files[REPORT_FD] = "pipe";
    files[FILTER_FD] = filter ?? "ignore";
  }
  try {
    const child = spawn(program, args, { cwd, env, detached, stdio: files, ...user });
    if (namespace === undefined || child.pid === undefined)
      return { child, init: Promise.resolve(undefined) };
    const opened = child.stdio as unknown as readonly (Socket | null)[];
    return { child, init: reported(opened[REPORT_FD]) };
  } finally {
    if (filter !== undefined) closeSync(filter);
  }
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
