import { type ChildProcessByStdio, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import type { Socket } from "node:net";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { ToolFailure } from "@toolkeep/core";
import { defined, invalidOption } from "@toolkeep/core/internal";
import type { SandboxedCommand } from "@toolkeep/core/ports";
import { endTree, markerFor, type TreeRoot } from "./process-tree.ts";
import {
  type KeptStreams,
  messageLine,
  messageReader,
  type ProcessEnd,
  type SpawnerReply,
  type SpawnerRequest,
  type TalkingStreams,
} from "./spawner-protocol.ts";

export interface SpawnerOptions {
  /** The Node that runs it. Default: the one that runs this process. */
  readonly nodePath?: string;
  /** Where its program is, for host applications that bundle the library into a file of their own. */
  readonly program?: string;
}

/** What is to be started, and where its streams lead. */
export interface SpawnOrder {
  readonly command: Pick<SandboxedCommand, "argv" | "environment" | "cwd" | "user" | "namespace">;
  readonly streams: KeptStreams | TalkingStreams;
}

export interface SpawnedProcess {
  readonly pid: number;
  /** When the whole tree is gone. Rejects with a ToolFailure if the spawner died under it; the tree is ended then, too. */
  readonly ended: Promise<ProcessEnd>;
  /** Ends the whole tree: asks, waits for the grace, forces. Resolves when it is gone. */
  kill(graceMs: number): Promise<void>;
}

/** One run of the spawner: our end of the pipes to it. */
export interface SpawnerLink {
  readonly pid: number;
  readonly isOpen: boolean;
  start(order: SpawnOrder): Promise<SpawnedProcess>;
  close(): Promise<void>;
}

/** Small, without a debugger, and quiet: there is no reader for its messages. */
const FLAGS = ["--max-old-space-size=64", "--max-semi-space-size=1", "--disable-sigusr1", "--no-warnings"];

const READY_WITHIN_MS = 20_000;

/** Starts the process and waits until it is ready. */
export async function openSpawnerLink(options: SpawnerOptions): Promise<SpawnerLink> {
  const child = spawn(options.nodePath ?? process.execPath, [...FLAGS, spawnerProgram(options.program)], {
    // It inherits nothing: neither environment nor folder, group or terminal.
    env: {},
    cwd: "/",
    detached: true,
    stdio: ["pipe", "pipe", "ignore"],
  });
  const timer = setTimeout(() => child.kill("SIGKILL"), READY_WITHIN_MS);
  const link = new Link(child);
  await link.ready.finally(() => clearTimeout(timer));
  return link;
}

type SpawnerChild = ChildProcessByStdio<Writable, Readable, null>;

/** One command that is to be started, or runs. */
interface InFlight {
  readonly program: string;
  readonly started: PromiseWithResolvers<number>;
  readonly ended: PromiseWithResolvers<ProcessEnd>;
  root: TreeRoot;
}

class Link implements SpawnerLink {
  readonly ready: Promise<void>;
  readonly #child: SpawnerChild;
  readonly #inFlight = new Map<number, InFlight>();
  readonly #getReady = Promise.withResolvers<void>();
  #lastId = 0;
  #isOpen = true;
  #isClosing = false;

  constructor(child: SpawnerChild) {
    this.#child = child;
    this.ready = this.#getReady.promise;
    const read = messageReader<SpawnerReply>((reply) => this.#receive(reply));
    child.once("error", () => this.#lose());
    // Not `exit`: its last messages may still be on their way.
    child.once("close", () => this.#lose());
    child.stdin.on("error", () => child.kill("SIGKILL"));
    child.stdout.setEncoding("utf8");
    child.stdout.on("data", (chunk: string) => {
      try {
        read(chunk);
      } catch {
        child.kill("SIGKILL");
      }
    });
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get isOpen(): boolean {
    return this.#isOpen && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  async start({ command, streams }: SpawnOrder): Promise<SpawnedProcess> {
    if (!this.isOpen) throw spawnerLost();
    const { argv, environment, cwd, user, namespace } = command;
    const id = ++this.#lastId;
    const { marker, environment: marked } = markerFor(randomBytes(16).toString("hex"));
    const one: InFlight = {
      program: argv[0],
      started: Promise.withResolvers(),
      ended: Promise.withResolvers(),
      root: { pid: 0, startedAt: undefined, marker },
    };
    // A caller that only waits for the start must not get the error of the end.
    one.ended.promise.catch(() => {});
    this.#inFlight.set(id, one);
    this.#hold();
    this.#send({
      do: "start",
      id,
      argv,
      environment: { ...environment, ...marked },
      cwd,
      ...defined({ user, namespace }),
      marker,
      streams,
    });
    const pid = await one.started.promise;
    return { pid, ended: one.ended.promise, kill: (graceMs) => this.#kill(id, graceMs) };
  }

  async close(): Promise<void> {
    if (!this.isOpen) return;
    const closed = once(this.#child, "close");
    this.#isClosing = true;
    this.#hold();
    this.#child.stdin.end();
    await closed;
  }

  async #kill(id: number, graceMs: number): Promise<void> {
    const one = this.#inFlight.get(id);
    if (one === undefined) return;
    this.#send({ do: "kill", id, graceMs });
    await one.ended.promise.catch(() => {});
  }

  #send(request: SpawnerRequest): void {
    this.#child.stdin.write(messageLine(request));
  }

  #receive(reply: SpawnerReply): void {
    if (reply.is === "ready") {
      this.#getReady.resolve();
      this.#hold();
      return;
    }
    const one = this.#inFlight.get(reply.id);
    if (one === undefined) return;
    if (reply.is === "started") {
      one.root = { pid: reply.pid, startedAt: reply.startedAt, marker: one.root.marker };
      one.started.resolve(reply.pid);
      return;
    }
    if (reply.is === "namespace") {
      one.root = { ...one.root, init: { pid: reply.pid, startedAt: reply.startedAt } };
      return;
    }
    if (reply.is === "failed") one.started.reject(spawnFailure(one.program, reply.code));
    else one.ended.resolve(endIn(reply));
    this.#forget(reply.id);
  }

  #forget(id: number): void {
    this.#inFlight.delete(id);
    this.#hold();
  }

  /** Keeps this process alive while something runs or is waited for, and no longer. */
  #hold(): void {
    for (const part of [this.#child, this.#child.stdin as Socket, this.#child.stdout as Socket]) {
      if (this.#inFlight.size > 0 || this.#isClosing) part.ref();
      else part.unref();
    }
  }

  /** It is gone. What it had started is not watched any more, so it is ended from here. */
  #lose(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#getReady.reject(spawnerMissing());
    for (const [id, one] of this.#inFlight) void this.#abandon(id, one);
  }

  async #abandon(id: number, one: InFlight): Promise<void> {
    await endTree(one.root, { graceMs: 0 });
    one.started.reject(spawnerLost());
    one.ended.reject(spawnerLost());
    this.#forget(id);
  }
}

function endIn({ exitCode, signal, isOverLimit, left }: ProcessEnd): ProcessEnd {
  return { exitCode, ...defined({ signal, isOverLimit, left }) };
}

/** Next to this file in the sources; next to the entry point, or a folder above its chunks, once it is built. */
const PLACES = import.meta.url.endsWith(".ts")
  ? [new URL("./spawner-process.ts", import.meta.url)]
  : [new URL("./spawner-process.js", import.meta.url), new URL("../spawner-process.js", import.meta.url)];

/** The program that starts commands. @throws ToolkeepError `invalid_option` if a bundle left it behind. */
function spawnerProgram(given: string | undefined): string {
  const program = given ?? PLACES.map((url) => fileURLToPath(url)).find((path) => existsSync(path));
  if (program !== undefined && existsSync(program)) return program;
  throw invalidOption(
    "The program that starts commands is missing. If you bundle the library, include `spawner-process.js` of @toolkeep/node and set its path with `program`.",
  );
}

/** Why a command could not be started, as a message, from the error of the system. */
function spawnFailure(program: string, code: string): ToolFailure {
  const name = JSON.stringify(program);
  if (code === "ENOENT")
    return new ToolFailure("not_found", `The program ${name} was not found.`, {
      hint: "Check its name, and whether it is installed.",
    });
  if (code === "EACCES" || code === "ENOEXEC")
    return new ToolFailure("unavailable", `${name} is not a program that may be run (${code}).`);
  if (code === "E2BIG")
    return new ToolFailure("too_large", "The arguments and the environment of the command are too long.", {
      hint: "Write what is long to a file, or hand it over as input.",
    });
  const isShort = code === "EAGAIN" || code === "ENOMEM" || code === "EMFILE" || code === "ENFILE";
  return new ToolFailure("unavailable", `${name} could not be started (${code}).`, { transient: isShort });
}

/** The failure of a command whose spawner died under it. */
function spawnerLost(): ToolFailure {
  return new ToolFailure(
    "tool_failed",
    "The process that starts commands has died. The command was ended; part of it may have been done.",
    { hint: "Look at what it has done before you run it again." },
  );
}

/** The failure of every command while there is no spawner. */
function spawnerMissing(): ToolFailure {
  return new ToolFailure("unavailable", "The process that starts commands could not be started.", {
    hint: "Is there enough memory, and does Node run this process?",
    transient: true,
  });
}
