import { execFile } from "node:child_process";
import { renameSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { ToolFailure } from "@toolkeep/core";
import { removeTree } from "../../../owned-files/remove-tree.ts";
import { findProgram } from "../../host/installation.ts";
import type { SandboxUser } from "../../host/sandbox-user.ts";
import { givenFolder, type LayeredCommand } from "./open-layer.ts";

/**
 * Takes a layer out of its place. Whether no process has anything of it open any more, the kernel is asked: it refuses a
 * second layer with the same files while the first one is in use, by whatever process and through whatever was handed on.
 */
export async function isReleased({ layer, place, programs, user }: LayeredCommand): Promise<boolean> {
  const { merged, upper, work } = layer;
  const [program = "", ...args] = [...place.join, "sh", "-c", RELEASE, "sh", programs.mount];
  return run(program, [...args, merged, upper, work], user).then(
    () => true,
    () => false,
  );
}

const RELEASE = `mount=$1 merged=$2 upper=$3 work=$4
umount -l "$merged" && mkdir -p "$work/probe" || exit 1
for pause in 0.01 0.03 0.1 0.3; do
  "$mount" -t overlay -o "userxattr,index=on,lowerdir=$merged,upperdir=$upper,workdir=$work/probe" overlay "$merged" \\
    2> /dev/null && exec umount "$merged"
  sleep $pause
done
exit 1`;

/**
 * Leaves what a command wrote to the processes that still have it, and continues with a copy: what was looked at is what
 * is kept. It is copied where nothing else can be reached, because they may put links in the way.
 * @throws ToolFailure `unavailable` if it changes faster than it can be copied.
 */
export async function setAside({ layer: { folder, upper }, user }: LayeredCommand): Promise<void> {
  const live = join(folder, "live");
  renameSync(upper, live);
  const copy = (...rights: readonly string[]) => {
    removeTree(upper);
    givenFolder(upper, user);
    return runApart(["cp", "-a", "/from/.", "/to"], { from: live, to: upper, user, rights });
  };
  // The command may have taken the right to read from itself.
  await copy()
    .catch(() => copy(...TO_READ))
    .catch((cause) => {
      const why = "a process that it left continues to change its files";
      throw new ToolFailure("unavailable", `Nothing of the command could be kept: ${why}.`, { cause });
    });
}

/** `cp` gives such folders their modes by way of `/proc`. */
const TO_READ = ["--cap-add", "CAP_DAC_READ_SEARCH", "--proc", "/proc"];

interface Apart {
  readonly from: string;
  readonly to: string;
  readonly user: SandboxUser | undefined;
  /** What the program needs besides. */
  readonly rights?: readonly string[];
}

/** Runs a program of the system where nothing else can be reached than two folders, `/from` and `/to`. */
export async function runApart(
  argv: readonly string[],
  { from, to, user, rights = [] }: Apart,
): Promise<void> {
  const bwrap = (await findProgram("bwrap")) ?? "bwrap";
  const system = ["/usr", "/bin", "/lib", "/lib64", "/nix"].flatMap((path) => ["--ro-bind-try", path, path]);
  const mounts = [...system, "--dev", "/dev", "--ro-bind", from, "/from", "--bind", to, "/to"];
  await run(bwrap, ["--unshare-all", ...mounts, ...rights, "--", ...argv], user);
}

const LONGEST_MS = 120_000;

/** Not waited for without end: processes of the place can stop it. */
function run(program: string, args: readonly string[], user: SandboxUser | undefined) {
  const env = { PATH: "/usr/sbin:/usr/bin:/sbin:/bin" };
  const options = { env, cwd: "/", timeout: LONGEST_MS, killSignal: "SIGKILL" as const };
  return promisify(execFile)(program, args, { ...options, ...(user && { uid: user.uid, gid: user.gid }) });
}
