import { type ChildProcess, spawn } from "node:child_process";
import type { Readable } from "node:stream";
import { statOf } from "../../../processes/proc.ts";
import { CALL_NUMBERS } from "./call-numbers.ts";
import { firstSaid } from "./first-said.ts";
import type { KeeperSettings } from "./place-protocol.ts";
import { WATCHER } from "./watcher.ts";

/** The processes that hold the namespaces of a place. They end with the process that started them. */
export type Namespaces = Awaited<ReturnType<typeof startNamespaces>>;

const READY_WITHIN_MS = 10_000;
const UNSHARE = "--user --map-root-user --net --mount --propagation private --".split(" ");
const INIT = [
  ..."--unshare-pid --as-pid-1 --bind / / --dev-bind /dev /dev --proc /proc".split(" "),
  ..."--die-with-parent --new-session --info-fd 3 --".split(" "),
];

/** @throws Error in words if the system refuses it. */
export async function startNamespaces(programs: KeeperSettings["programs"], probe: string) {
  const { unshare, perl, ip, nsenter, bwrap } = programs;
  const lost = Promise.withResolvers<void>();
  if (CALL_NUMBERS === undefined) throw new Error(`the system calls of ${process.arch} are not known`);
  const { inotifyInit, inotifyAddWatch } = CALL_NUMBERS;
  const watching = [perl, "-e", WATCHER, ip, `${inotifyInit}`, `${inotifyAddWatch}`, probe];
  const watcher = spawn(perl, ["-e", LISTING, unshare, ...UNSHARE, ...watching], { env: {}, cwd: "/" });
  watcher.stdin.on("error", () => {});
  const network = await saidBy(watcher, watcher.stdout, watcher.stderr, "`unshare`");
  watcher.stderr.destroy();
  const entering = ["-t", `${watcher.pid}`, "-U", "-m", "-n", "--preserve-credentials"];
  const holder = spawn(nsenter, [...entering, bwrap, ...INIT, perl, "-e", REAP], {
    ...{ env: {}, cwd: "/", stdio: ["ignore", "pipe", "pipe", "pipe"] },
  });
  const [, out, errors, info] = holder.stdio as unknown as [unknown, Readable, Readable, Readable];
  const kill = () => {
    holder.kill("SIGKILL");
    watcher.kill("SIGKILL");
  };
  try {
    const [pid] = await Promise.all([
      saidBy(holder, info, errors, "`bwrap`", /"child-pid": (\d+)/),
      saidBy(holder, out, errors, "`bwrap`"),
    ]);
    for (const stream of [out, errors, info]) stream.destroy();
    const init = Number(pid);
    const startedAt = statOf(init)?.startedAt;
    if (startedAt === undefined) throw new Error("`bwrap` has ended what it started");
    for (const child of [holder, watcher]) child.once("exit", () => lost.resolve());
    return {
      ...{ init, startedAt, kill },
      /** It sees packets and files for us. */
      watcher,
      /** What came of the network, in its words. */
      network,
      /** What stands before a program of ours that is to run in the network of the place. */
      enterNetwork: [nsenter, ...entering] as const,
      /** When one of them has ended, for whatever reason. */
      lost: lost.promise,
    };
  } catch (error) {
    kill();
    throw error;
  }
}

/** Opens a socket that lists those of the user's network, for the program after it, whose last argument is its number. */
const LISTING = "$^F = 99; socket(my $list, 16, 3, 4); exec @ARGV, $list ? fileno $list : -1";

/**
 * Its process 1 takes over what other processes leave behind. Signals of processes inside do not reach it, so that
 * nothing in the place can end it, whatever `pkill` is told.
 */
const REAP =
  '$0 = "place"; $SIG{CHLD} = "IGNORE"; $| = 1; print "ready\\n"; close(STDOUT); close(STDERR); sleep while 1';

/** @throws Error with what a process complains about, if it does not say what is looked for. */
async function saidBy(
  child: ChildProcess,
  out: Readable,
  errors: Readable,
  name: string,
  what?: RegExp,
): Promise<string> {
  let complaint = "";
  errors.setEncoding("utf8").on("data", (chunk: string) => {
    complaint += chunk;
  });
  const said = await firstSaid(child, out, READY_WITHIN_MS, what);
  if (said === undefined) throw new Error(`${name} has failed: ${complaint.trim() || "it says nothing"}`);
  return said;
}
