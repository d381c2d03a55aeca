import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import type { Readable } from "node:stream";
import { statOf } from "../../../processes/proc.ts";
import type { PlacePrograms } from "./place-protocol.ts";
import { callNumbers, WATCHER } from "./watcher.ts";

/** The processes that hold the namespaces of a place. They end with the process that started them. */
export interface Namespaces {
  readonly init: number;
  readonly startedAt: number;
  /** It sees packets and files for us. */
  readonly watcher: ChildProcessWithoutNullStreams;
  /** What came of the network, in its words. */
  readonly network: string;
  /** What stands before a program of ours that is to run in the network of the place. */
  readonly enterNetwork: readonly string[];
  /** When one of them has ended, for whatever reason. */
  readonly lost: Promise<void>;
  kill(): void;
}

const READY_WITHIN_MS = 10_000;

/** @throws Error in words if the system refuses it. */
export async function startNamespaces(programs: PlacePrograms, probe: string): Promise<Namespaces> {
  const { unshare, perl, ip, nsenter, bwrap } = programs;
  const lost = Promise.withResolvers<void>();
  const numbers = callNumbers();
  const watcher = spawn(
    perl,
    [
      ...[
        "-e",
        LISTING,
        unshare,
        "--user",
        "--map-root-user",
        "--net",
        "--mount",
        "--propagation",
        "private",
        "--",
      ],
      ...[perl, "-e", WATCHER, ip, ...numbers.map(String), probe],
    ],
    { env: {}, cwd: "/", stdio: ["pipe", "pipe", "pipe"] },
  );
  watcher.stdin.on("error", () => {});
  const network = await saidBy(watcher, watcher.stdout, watcher.stderr, "`unshare`");
  watcher.stderr.destroy();
  const enterNetwork = [nsenter, "-t", `${watcher.pid}`, "-U", "-m", "-n", "--preserve-credentials"];
  const [enter = nsenter, ...entering] = enterNetwork;
  const holder = spawn(enter, [...entering, bwrap, ...INIT, perl, "-e", REAP], {
    ...{ env: {}, cwd: "/", stdio: ["ignore", "pipe", "pipe", "pipe"] },
  });
  const [, out, errors, info] = holder.stdio as unknown as [unknown, Readable, Readable, Readable];
  const kill = () => {
    holder.kill("SIGKILL");
    watcher.kill("SIGKILL");
  };
  try {
    const said = [
      saidBy(holder, info, errors, "`bwrap`", /"child-pid": (\d+)/),
      saidBy(holder, out, errors, "`bwrap`"),
    ];
    const [pid] = await Promise.all(said);
    for (const stream of [out, errors, info]) stream.destroy();
    const init = Number(pid);
    const startedAt = statOf(init)?.startedAt;
    if (startedAt === undefined) throw new Error("`bwrap` has ended what it started");
    for (const child of [holder, watcher]) child.once("exit", () => lost.resolve());
    return { init, startedAt, watcher, network, enterNetwork, lost: lost.promise, kill };
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
const INIT = [
  ...["--unshare-pid", "--as-pid-1", "--bind", "/", "/", "--dev-bind", "/dev", "/dev", "--proc", "/proc"],
  ...["--die-with-parent", "--new-session", "--info-fd", "3", "--"],
];

type Ending = {
  once(event: "close" | "error", listener: () => void): unknown;
  kill(signal: "SIGKILL"): unknown;
};

/** What a process says: a line, or what is looked for. @throws Error with what it complains about, if it does not. */
async function saidBy(
  child: Ending,
  out: Readable,
  errors: Readable,
  name: string,
  what = /(.*)\n/,
): Promise<string> {
  const found = Promise.withResolvers<string>();
  let [said, complaint] = ["", ""];
  const take = (chunk: string) => {
    said += chunk;
    const [, one] = what.exec(said) ?? [];
    if (one !== undefined) found.resolve(one);
  };
  out.setEncoding("utf8").on("data", take);
  errors.setEncoding("utf8").on("data", (chunk: string) => {
    complaint += chunk;
  });
  const fail = () => found.reject(new Error(`${name} has failed: ${complaint.trim() || "it says nothing"}`));
  for (const event of ["close", "error"] as const) child.once(event, fail);
  const timer = setTimeout(fail, READY_WITHIN_MS);
  try {
    return await found.promise;
  } finally {
    clearTimeout(timer);
    out.off("data", take);
  }
}
