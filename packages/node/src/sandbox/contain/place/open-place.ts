import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { ToolFailure } from "@toolkeep/core";
import { readProxies } from "../../../network/proxies.ts";
import { statOf } from "../../../processes/proc.ts";
import { findProgram, namespaceError } from "../../host/installation.ts";
import { closedFolder, type SandboxUser } from "../../host/sandbox-user.ts";
import { openStateFolder, PlaceLink, unavailable } from "./place-link.ts";
import {
  type KeeperSettings,
  PLACE_VERSION,
  type PlacePrograms,
  type PlaceReply,
  type RunMount,
  type RunRequest,
  type RunResult,
  SETTINGS,
} from "./place-protocol.ts";

export interface PlaceOptions {
  /** Where the state of this project's place is kept, for its user alone. It is made if it is missing. */
  readonly folder: string;
  readonly project: string;
  /** Whom processes of the place belong to, if this process is root. */
  readonly user?: SandboxUser;
}

/** The processes and the network that the commands of a project share. */
export interface Place {
  /** The first process of the place, and when it started. */
  readonly init: number;
  /** What stands before a command so that it enters the place. */
  readonly join: readonly string[];
  /** The folder through which mounts made in the place are seen from outside. */
  readonly root: string;
  /** Whether each want is surely that of the run that is told it. Else an address may be that of all open runs. */
  readonly isExact: boolean;
  beginRun(run: RunRequest): Promise<OpenRun>;
  /** Keeps the place until this process has ended: a client, or a workspace. */
  keepFor(pid: number): Promise<void>;
  /** Ends everything in it. */
  end(): Promise<void>;
  hasEnded(): boolean;
  /** Leaves the place as it is. */
  close(): void;
}

export interface OpenRun {
  /** What the sandbox of the command mounts read-only: the settings of its names, its decoys. */
  readonly mounts: readonly RunMount[];
  end(): Promise<RunResult>;
}

const OPENED_WITHIN_MS = 20_000;
const ENDED_WITHIN_MS = 5_000;
const PAUSE_MS = 25;

/**
 * Joins the place of the project that runs, or starts one.
 * @throws ToolFailure `unavailable` with the reason if there can be none here.
 */
export async function openPlace({ folder, project, user }: PlaceOptions): Promise<Place> {
  const own = { uid: process.getuid?.() ?? -1, gid: process.getgid?.() ?? -1 };
  if (process.platform !== "linux") throw unavailable("places exist on Linux alone");
  if (own.uid !== 0 && user !== undefined && user.uid !== own.uid)
    throw unavailable(`this process is not root, and cannot start processes of user ${user.uid}`);
  const as = own.uid === 0 && user !== undefined ? user : undefined;
  const descriptor = await openStateFolder(folder, as ?? own);
  try {
    const until = performance.now() + OPENED_WITHIN_MS;
    for (;;) {
      const link = await PlaceLink.open(descriptor);
      const place = link && (await joined(link, project));
      if (place !== undefined) return place;
      if (performance.now() > until) throw unavailable("its keeper does not answer");
      if (!(await startKeeper({ folder, project }, as))) await wait(PAUSE_MS);
    }
  } finally {
    closeSync(descriptor);
  }
}

/** Ends what runs in the place of a project; whether there was one. */
export async function endPlace({ folder, project, user }: PlaceOptions): Promise<boolean> {
  if (!existsSync(folder)) return false;
  const own = { uid: process.getuid?.() ?? -1, gid: process.getgid?.() ?? -1 };
  const descriptor = await openStateFolder(folder, own.uid === 0 && user !== undefined ? user : own);
  try {
    const link = await PlaceLink.open(descriptor);
    const place = link && (await joined(link, project));
    await place?.end();
    return place !== undefined;
  } finally {
    closeSync(descriptor);
  }
}

/** `undefined` if the place ended under it. */
async function joined(link: PlaceLink, project: string): Promise<Place | undefined> {
  const nsenter = await findProgram("nsenter");
  const reply = await link.ask({ do: "join" }).catch(() => undefined);
  if (nsenter === undefined) throw missing(["nsenter"]);
  if (reply?.is !== "joined") return undefined;
  const { init, startedAt, isExact, version, project: other } = reply.place;
  if (version !== PLACE_VERSION || other !== project) {
    link.close();
    throw unavailable(
      other === project ? "another version of Toolkeep has opened it" : `its folder is that of ${other}`,
      "End the sessions that use it, and run the command again.",
    );
  }
  if (!isRunning(init, startedAt)) return undefined;
  return {
    init,
    isExact,
    join: [nsenter, "-t", `${init}`, "-U", "-m", "-n", "-p", "--preserve-credentials"],
    root: `/proc/${init}/root`,
    beginRun: async (run) => {
      const { mounts } = expected(await link.ask({ do: "begin", run }), "begun");
      const finish = async () => expected(await link.ask({ do: "finish", run: run.id }), "finished").result;
      return { mounts, end: finish };
    },
    keepFor: async (pid) => {
      const startedAt = statOf(pid)?.startedAt;
      if (startedAt !== undefined) await link.ask({ do: "keep", pid, startedAt });
    },
    end: async () => {
      await link.ask({ do: "end" }).catch(() => {});
      const until = performance.now() + ENDED_WITHIN_MS;
      while (isRunning(init, startedAt) && performance.now() < until) await wait(PAUSE_MS);
    },
    hasEnded: () => link.isLost || !isRunning(init, startedAt),
    close: () => link.close(),
  };
}

function isRunning(pid: number, startedAt: number): boolean {
  const stat = statOf(pid);
  return stat?.startedAt === startedAt && !stat.isDead;
}

function expected<Kind extends PlaceReply["is"]>(reply: PlaceReply, is: Kind) {
  if (reply.is === is) return reply as Extract<PlaceReply, { readonly is: Kind }>;
  throw unavailable(`its keeper answered ${reply.is}`);
}

/** Small, without a debugger, and quiet. */
const FLAGS = ["--max-old-space-size=96", "--max-semi-space-size=1", "--disable-sigusr1", "--no-warnings"];

/** Whether it has started one. False if another process was faster. */
async function startKeeper(
  place: Pick<KeeperSettings, "folder" | "project">,
  user: SandboxUser | undefined,
): Promise<boolean> {
  const [program, inside] = [programAt("place-keeper.js"), programAt("place-inside.js")];
  const closed =
    user && [process.execPath, program, place.folder].map((path) => closedFolder(path, user)).find(Boolean);
  if (closed) throw unavailable(`${closed} is closed to user ${user?.uid}, whom its processes belong to`);
  const proxies = readProxies("environment");
  const settings: KeeperSettings = { ...place, programs: await foundPrograms(), inside, proxies };
  const child = spawn(process.execPath, [...FLAGS, ...sourceFlags(program), program], {
    // Not among the arguments, which every user may read.
    ...{ env: { [SETTINGS]: JSON.stringify(settings) }, cwd: "/", detached: true },
    stdio: ["ignore", "pipe", "ignore"],
    ...(user === undefined ? {} : { uid: user.uid, gid: user.gid }),
  });
  child.unref();
  let said = "";
  const ended = once(child.stdout.setEncoding("utf8"), "close");
  child.stdout.on("data", (chunk: string) => {
    said += chunk;
    if (said.includes("\n")) child.stdout.destroy();
  });
  const timer = setTimeout(() => child.stdout.destroy(), OPENED_WITHIN_MS);
  await Promise.race([ended, once(child, "error")]);
  clearTimeout(timer);
  const [line = ""] = said.split("\n");
  if (line === "ready") return true;
  if (line === "another") return false;
  throw unavailable(line || "its keeper could not be started", await namespaceError());
}

function sourceFlags(program: string): readonly string[] {
  return program.endsWith(".ts") ? ["--conditions=@toolkeep/source"] : [];
}

/** Next to this file in the sources; next to the entry point, or a folder above its chunks, once it is built. */
const PLACES = import.meta.url.endsWith(".ts")
  ? {
      "place-keeper.js": [new URL("./place-keeper.ts", import.meta.url)],
      "place-inside.js": [new URL("./place-inside.ts", import.meta.url)],
    }
  : {
      "place-keeper.js": [
        new URL("./place-keeper.js", import.meta.url),
        new URL("../place-keeper.js", import.meta.url),
      ],
      "place-inside.js": [
        new URL("./place-inside.js", import.meta.url),
        new URL("../place-inside.js", import.meta.url),
      ],
    };

function programAt(name: keyof typeof PLACES): string {
  const found = PLACES[name].map((url) => fileURLToPath(url)).find((path) => existsSync(path));
  if (found === undefined) throw unavailable(`${name} of @toolkeep/node is missing next to the program`);
  return found;
}

async function foundPrograms(): Promise<PlacePrograms> {
  const names = ["bwrap", "ip", "nsenter", "perl", "unshare"] as const;
  const found = await Promise.all(names.map(async (name) => [name, await findProgram(name)] as const));
  const absent = found.filter(([, path]) => path === undefined).map(([name]) => name);
  if (absent.length > 0) throw missing(absent);
  return Object.fromEntries(found) as unknown as PlacePrograms;
}

function missing(names: readonly string[]): ToolFailure {
  return unavailable(
    `${names.join(" and ")} ${names.length === 1 ? "is" : "are"} not installed`,
    "Install the packages bubblewrap, util-linux, iproute2 and perl.",
  );
}
