import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import type { Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import type { SandboxedCommand } from "@toolkeep/core/ports";

/**
 * Process 1 of the process namespace that a server runs in, as it is known outside. The kernel ends every process of
 * the namespace with it, whatever they did to their group, session or parent.
 */
export interface NamespaceInit {
  readonly pid: number;
  /** In ticks since the machine started, so that another process with the same id is not taken for it. */
  readonly startedAt: string;
}

export interface SpawnedServer {
  readonly child: ChildProcess;
  /** `undefined` where there is no namespace. */
  readonly init: Promise<NamespaceInit | undefined>;
}

/** Starts a server's program, in a process group of its own, with the files open that its sandbox needs. */
export function spawnServer(
  command: SandboxedCommand,
  environment: SandboxedCommand["environment"],
): SpawnedServer {
  const { argv, cwd, user, namespace } = command;
  const [program, ...args] = argv;
  const filter = namespace?.filter;
  const files = namespace === undefined ? [] : (["pipe", filter === undefined ? "ignore" : "pipe"] as const);
  const child = spawn(program, args, {
    ...{ cwd, env: environment, detached: true, stdio: ["pipe", "pipe", "pipe", ...files] },
    ...user,
  });
  if (namespace === undefined || child.pid === undefined) return { child, init: Promise.resolve(undefined) };
  const [, , , report, filterFile] = child.stdio as unknown as (Socket | null)[];
  filterFile?.on("error", () => {});
  filterFile?.resume().end(Buffer.from(filter ?? "", "base64"));
  return { child, init: reported(report) };
}

function reported(report: Socket | null | undefined): Promise<NamespaceInit | undefined> {
  const { promise, resolve } = Promise.withResolvers<NamespaceInit | undefined>();
  let text = "";
  report?.on("data", (chunk: Buffer) => {
    text += chunk.toString("latin1");
    if (text.includes("}")) resolve(initFrom(text));
  });
  report?.on("error", () => {});
  report?.on("close", () => resolve(initFrom(text)));
  return promise;
}

/** From what `bwrap --info-fd` writes, before anything of the program runs. */
function initFrom(report: string): NamespaceInit | undefined {
  const pid = Number(/"child-pid":\s*(\d+)\s*[,}]/.exec(report)?.[1] ?? 0);
  const isInit = pid > 1 && /^NSpid:\t\d+.*\t1$/m.test(readProc(`/proc/${pid}/status`));
  const startedAt = fieldsOf(pid)[19];
  return isInit && startedAt !== undefined ? { pid, startedAt } : undefined;
}

const LONGEST_MS = 10_000;

/** Kills process 1 and waits until it is over, and with it all of its namespace. */
export async function endNamespace(init: NamespaceInit): Promise<void> {
  const deadline = performance.now() + LONGEST_MS;
  while (!isOver(init) && performance.now() < deadline) {
    try {
      process.kill(init.pid, "SIGKILL");
    } catch {
      // It has gone in between; the next look tells.
    }
    await pause(1);
  }
}

/** A first thread that has ended waits as a zombie for the others, so that it counts as over only alone. */
function isOver({ pid, startedAt }: NamespaceInit): boolean {
  const fields = fieldsOf(pid);
  return fields[19] !== startedAt || (/^[ZX]$/.test(fields[0] ?? "X") && Number(fields[17]) <= 1);
}

/** From the state on, after the name, which may itself hold brackets and spaces. */
function fieldsOf(pid: number): readonly string[] {
  const text = readProc(`/proc/${pid}/stat`);
  return text.slice(text.lastIndexOf(")") + 2).split(" ");
}

function readProc(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}
