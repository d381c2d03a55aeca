import { spawn } from "node:child_process";
import {
  chownSync,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
} from "node:fs";
import { basename } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { ToolFailure } from "@toolkeep/core";
import { errorCode } from "../../../files/file-failure.ts";
import { readProxies } from "../../../network/proxies.ts";
import { statOf } from "../../../processes/proc.ts";
import { findProgram, namespaceError } from "../../host/installation.ts";
import { closedFolder, type SandboxUser } from "../../host/sandbox-user.ts";
import { firstSaid } from "./first-said.ts";
import { PlaceLink, unavailable } from "./place-link.ts";
import {
  type KeeperSettings,
  nodeFlags,
  PLACE_PROGRAMS,
  PLACE_VERSION,
  type RunRequest,
  SETTINGS,
} from "./place-protocol.ts";
import { isRunning } from "./processes-inside.ts";

export interface PlaceOptions {
  /** Where the state of this project's place is kept, for its user alone. It is made if it is missing. */
  readonly folder: string;
  readonly project: string;
  /** Whom processes of the place belong to, if this process is root. */
  readonly user?: SandboxUser;
}

/** The processes and the network that the commands of a project share. */
export type Place = NonNullable<Awaited<ReturnType<typeof joined>>>;
export type OpenRun = Awaited<ReturnType<Place["beginRun"]>>;

const OPENED_WITHIN_MS = 20_000;
const ENDED_WITHIN_MS = 5_000;
const PAUSE_MS = 25;

/**
 * Joins the place of the project that runs, or starts one.
 * @throws ToolFailure `unavailable` with the reason if there can be none here.
 */
export async function openPlace(at: PlaceOptions): Promise<Place> {
  const descriptor = await openStateFolder(at);
  try {
    const until = performance.now() + OPENED_WITHIN_MS;
    for (;;) {
      const place = await joined(descriptor, at.project);
      if (place !== undefined) return place;
      if (performance.now() > until) throw unavailable("its keeper does not answer");
      if (!(await startKeeper(at))) await wait(PAUSE_MS);
    }
  } finally {
    closeSync(descriptor);
  }
}

/** Ends what runs in the place of a project; whether there was one. */
export async function endPlace(at: PlaceOptions): Promise<boolean> {
  const descriptor = await openStateFolder(at);
  try {
    const place = await joined(descriptor, at.project);
    await place?.end();
    return place !== undefined;
  } finally {
    closeSync(descriptor);
  }
}

const GIVEN_WITHIN_MS = 100;
const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;

/**
 * Opens the folder, which is made if it is missing. It is used through what was opened, so that no other one can take its
 * stead.
 * @throws ToolFailure `unavailable` if it is a link, is another user's, or is open to others.
 */
async function openStateFolder({ folder, user }: PlaceOptions): Promise<number> {
  const isMade = mkdirSync(folder, { recursive: true, mode: 0o700 }) !== undefined;
  if (user !== undefined && process.getuid?.() === 0) {
    if (isMade) chownSync(folder, user.uid, user.gid);
    // Another process has made it just now, and has yet to give it away.
    else if (lstatSync(folder).uid === 0) await wait(GIVEN_WITHIN_MS);
  }
  let descriptor: number;
  try {
    descriptor = openSync(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  } catch (error) {
    throw unavailable(`${folder} is not a folder (${errorCode(error)})`);
  }
  const { uid, mode } = fstatSync(descriptor);
  const isOwn = uid === (user?.uid ?? process.getuid?.());
  if (isOwn && (mode & 0o077) === 0) return descriptor;
  closeSync(descriptor);
  throw unavailable(
    isOwn ? `${folder} is open to other users` : `${folder} belongs to user ${uid}`,
    "Remove that folder, or take its rights away from others with `chmod 700`.",
  );
}

/** `undefined` if there is none, or it ended under it. */
async function joined(descriptor: number, project: string) {
  const link = await PlaceLink.open(descriptor);
  const state = await link?.ask({ do: "join" }).catch(() => undefined);
  if (link === undefined || state === undefined) return undefined;
  const { init, startedAt, version, project: other } = state;
  if (version !== PLACE_VERSION || other !== project) {
    link.close();
    throw unavailable(
      other === project ? "another version of Toolkeep has opened it" : `its folder is that of ${other}`,
      "End the sessions that use it, and run the command again.",
    );
  }
  const nsenter = await findProgram("nsenter");
  if (nsenter === undefined) throw missing(["nsenter"]);
  if (!isRunning(init, startedAt)) return undefined;
  return {
    /** The first process of the place. */
    init,
    /** What stands before a command so that it enters the place. */
    join: [nsenter, "-t", `${init}`, "-U", "-m", "-n", "-p", "--preserve-credentials"] as readonly string[],
    /** The folder through which mounts made in the place are seen from outside. */
    root: `/proc/${init}/root`,
    /** `mounts`: what the sandbox mounts read-only: the settings of its names, its decoys. */
    async beginRun(run: RunRequest) {
      const mounts = await link.ask({ do: "begin", run });
      return { mounts, end: () => link.ask({ do: "finish", run: run.id }) };
    },
    /** Keeps the place until this process has ended: a client, or a workspace. */
    async keepFor(pid: number): Promise<void> {
      const since = statOf(pid)?.startedAt;
      if (since !== undefined) await link.ask({ do: "keep", pid, startedAt: since });
    },
    async end(): Promise<void> {
      await link.ask({ do: "end" }).catch(() => {});
      const until = performance.now() + ENDED_WITHIN_MS;
      while (isRunning(init, startedAt) && performance.now() < until) await wait(PAUSE_MS);
    },
    hasEnded: () => link.isLost || !isRunning(init, startedAt),
    /** Leaves the place as it is. */
    close: () => link.close(),
  };
}

/** Whether it has started one. False if another process was faster. */
async function startKeeper({ folder, project, user }: PlaceOptions): Promise<boolean> {
  const [program, inside] = [programAt(KEEPER), programAt(INSIDE)];
  const closed =
    user && [process.execPath, program, folder].map((path) => closedFolder(path, user)).find(Boolean);
  if (closed) throw unavailable(`${closed} is closed to user ${user?.uid}, whom its processes belong to`);
  const proxies = readProxies("environment");
  const settings: KeeperSettings = { folder, project, programs: await foundPrograms(), inside, proxies };
  const source = program.endsWith(".ts") ? ["--conditions=@toolkeep/source"] : [];
  const child = spawn(process.execPath, [...nodeFlags(96), ...source, program], {
    // Not among the arguments, which every user may read.
    ...{ env: { [SETTINGS]: JSON.stringify(settings) }, cwd: "/", detached: true },
    ...{ stdio: ["ignore", "pipe", "ignore"], ...user },
  });
  child.unref();
  const line = await firstSaid(child, child.stdout, OPENED_WITHIN_MS);
  child.stdout.destroy();
  if (line === "ready") return true;
  if (line === "another") return false;
  throw unavailable(line || "its keeper could not be started", await namespaceError());
}

/** Next to this file in the sources; next to the entry point, or a folder above its chunks, once it is built. */
const [KEEPER, INSIDE] = import.meta.url.endsWith(".ts")
  ? [[new URL("./place-keeper.ts", import.meta.url)], [new URL("./place-inside.ts", import.meta.url)]]
  : [
      [new URL("./place-keeper.js", import.meta.url), new URL("../place-keeper.js", import.meta.url)],
      [new URL("./place-inside.js", import.meta.url), new URL("../place-inside.js", import.meta.url)],
    ];

function programAt(places: readonly URL[] = []): string {
  const paths = places.map((url) => fileURLToPath(url));
  const found = paths.find((path) => existsSync(path));
  if (found !== undefined) return found;
  throw unavailable(`${basename(paths[0] ?? "")} of @toolkeep/node is missing next to the program`);
}

async function foundPrograms(): Promise<KeeperSettings["programs"]> {
  const found = await Promise.all(
    PLACE_PROGRAMS.map(async (name) => [name, await findProgram(name)] as const),
  );
  const absent = found.filter(([, path]) => path === undefined).map(([name]) => name);
  if (absent.length > 0) throw missing(absent);
  return Object.fromEntries(found) as KeeperSettings["programs"];
}

function missing(names: readonly string[]): ToolFailure {
  return unavailable(
    `${names.join(" and ")} ${names.length === 1 ? "is" : "are"} not installed`,
    "Install the packages bubblewrap, util-linux, iproute2 and perl.",
  );
}
