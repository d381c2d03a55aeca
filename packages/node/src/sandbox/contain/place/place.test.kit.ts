import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { chmodSync, chownSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { openPlace, type Place } from "./open-place.ts";
import type { RunMount, RunRequest, RunResult } from "./place-protocol.ts";

const isRoot = process.getuid?.() === 0;
/** Whom processes of the tests belong to. */
export const USER = isRoot
  ? { uid: 12_001, gid: 12_001 }
  : { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };

export const asUser = isRoot ? USER : {};

const BUBBLEWRAP = "bwrap";
const UNSHARE = ["unshare", "--user", "--map-root-user", "--net", "true"] as const;
export const hasPlaces =
  process.platform === "linux" &&
  spawnSync(UNSHARE[0], UNSHARE.slice(1), asUser).status === 0 &&
  spawnSync(BUBBLEWRAP, ["--version"]).status === 0;

/** A folder of the user, and what opens the place in it. It is removed with the place. */
export function testPlace() {
  const base = mkdtempSync(join(tmpdir(), "toolkeep-place-"));
  if (isRoot) chownSync(base, USER.uid, USER.gid);
  chmodSync(base, 0o755);
  const folder = join(base, "state");
  const open = () => openPlace({ folder, project: "/p", ...(isRoot && { user: USER }) });
  return {
    base,
    folder,
    open,
    async [Symbol.asyncDispose]() {
      await (await open()).end();
      removeAll(base);
    },
  };
}

/** The kernel closes folders that it uses for overlays. */
export function removeAll(base: string): void {
  spawnSync("chmod", ["-R", "u+rwx", base]);
  rmSync(base, { recursive: true, force: true });
}

let lastRun = 0;

interface Ran extends RunResult {
  readonly status: number | null;
  readonly output: string;
}

interface StartedCommand {
  readonly child: ChildProcess;
  /** Waits for its end, and then for what the place says. */
  readonly ended: Promise<Ran>;
}

/** Starts a command as one in a sandbox is started: in the place, with a user namespace of its own. */
export async function start(
  place: Place,
  command: string,
  { hide = "/root", ...asked }: Partial<RunRequest> & { readonly hide?: string } = {},
): Promise<StartedCommand> {
  const request = { id: `run-${process.pid}-${++lastRun}`, hosts: [], ports: [], decoys: [], ...asked };
  const run = await place.beginRun(request);
  const sandbox = [...place.join, BUBBLEWRAP, ...sandboxArgs(run.mounts, hide)];
  const [program = "", ...args] = [...sandbox, "sh", "-c", command];
  const child = spawn(program, args, { ...asUser, env: { PATH: process.env["PATH"] ?? "" }, cwd: "/" });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      output += chunk;
    });
  const ended = new Promise<Ran>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (status) => {
      // What it left behind in the background may still hold its streams.
      wait(20)
        .then(async () => resolve({ ...(await run.end()), status, output }))
        .catch(reject);
    });
  });
  return { child, ended };
}

export async function run(...given: Parameters<typeof start>): Promise<Ran> {
  return (await start(...given)).ended;
}

function sandboxArgs(mounts: readonly RunMount[], hide: string): readonly string[] {
  const args = [
    `--unshare-user --uid ${USER.uid} --gid ${USER.gid} --unshare-ipc --unshare-uts --disable-userns --cap-drop ALL`,
    "--ro-bind / / --dev /dev --bind /proc /proc",
    // Some settings of namespaces belong to the user that made them, and so to commands.
    "--ro-bind /proc/sys /proc/sys --size 4096 --perms 0555 --tmpfs /proc/1 --remount-ro /proc/1",
    `--bind /tmp /tmp --tmpfs ${hide} --tmpfs /home`,
    ...mounts.map(({ path, source }) => `--ro-bind ${source} ${path}`),
    "--setenv HOME /home --chdir /tmp --",
  ];
  return args.join(" ").split(" ");
}

/** Waits until something is so. */
export async function until(is: () => boolean | Promise<boolean>, ms = 5_000): Promise<void> {
  const end = performance.now() + ms;
  while (!(await is())) {
    if (performance.now() > end) throw new Error("it did not come to be");
    await wait(25);
  }
}
