import { spawn } from "node:child_process";
import { setTimeout as wait } from "node:timers/promises";
import { getSystemErrorName } from "node:util";
import { ToolFailure } from "@toolkeep/core";
import { systemError } from "../../../files/file-failure.ts";
import { findProgram } from "../../host/installation.ts";
import { MEANWHILE } from "../layer/stamp.ts";
import { CALL_NUMBERS } from "../place/call-numbers.ts";
import { lineAnswers } from "../place/line-answers.ts";
import { openedFolders } from "./opened-folders.ts";

/** What the kernel is asked for that Node has no calls for. A process of `perl` makes them. */
export type KernelCalls = Awaited<ReturnType<typeof openKernelCalls>>;

const PROGRAM = String.raw`use strict; $| = 1; my %held; $SIG{IO} = sub {};
open(LOCK, "<", $ARGV[1]) && flock(LOCK, 2) || exit 1;
sub said { print "$_[0]\n" }
sub renamed { my ($one, $other, $flags) = @_;
  syscall($ARGV[0], -100, $one, -100, $other, $flags) == 0 ? said("ok") : said("error " . ($! + 0)) }
while (my $line = <STDIN>) { chomp $line; my ($do, @names) = split / /, $line; $_ = pack "H*", $_ for @names;
  if ($do eq "lease") {
    if (!sysopen(my $file, $names[0], 0400000 | 04000)) { said("error " . ($! + 0)) }
    elsif (!fcntl($file, 1024, 1)) { said("error " . ($! + 0)) }
    else { $held{$names[0]} = $file; said("ok " . (stat $file)[1]) } }
  elsif ($do eq "exchange") { renamed($names[0], $names[1], 2) }
  elsif ($do eq "move") { renamed($names[0], $names[1], 1) }
  elsif ($do eq "release") { delete $held{$names[0]}; said("ok") }
  elsif ($do eq "wanted") { my $file = $held{$names[0]}; said("ok " . (!$file || fcntl($file, 1025, 0) == 1 ? 0 : 1)) }
}`;

const LEASE_TRIES = 4;
const LEASE_PAUSE_MS = 30;

/**
 * One process at a time makes calls for a folder: the last call of one whose own process was killed comes before the
 * first of the next.
 * @throws ToolFailure `unavailable` where there is no perl, or this processor is not known.
 */
export async function openKernelCalls(folder: string) {
  const perl = await findProgram("perl");
  if (CALL_NUMBERS === undefined || perl === undefined)
    throw new ToolFailure(
      "unavailable",
      "Changes of a contained command cannot be kept: `perl` is not installed.",
    );
  const child = spawn(perl, ["-e", PROGRAM, `${CALL_NUMBERS.renameat2}`, folder], {
    ...{ env: {}, cwd: "/", stdio: ["pipe", "pipe", "ignore"] },
  });
  child.on("error", () => {});
  const ask = lineAnswers(child);
  const call = async (does: string, ...paths: readonly string[]) => {
    const names = paths.map((path) => Buffer.from(path).toString("hex"));
    const answer = (await ask([does, ...names].join(" "))) ?? "error 5";
    const [state, value = "0"] = answer.split(" ");
    return { isDone: state === "ok", value };
  };
  const rename = async (does: string, one: string, other: string) => {
    let { isDone, value } = await call(does, one, other);
    if (!isDone && errno(value) === "EACCES") {
      using opened = openedFolders(one, other);
      if (opened.isAny) ({ isDone, value } = await call(does, one, other));
    }
    if (!isDone) throw systemError(errno(value));
  };
  return {
    /**
     * Takes a write lease on the regular file with this inode: no other process has it open, and who opens it now waits until
     * the lease ends. Why there is none, if that is so.
     */
    async lease(path: string, ino: string): Promise<string | undefined> {
      for (let tries = 1; ; tries += 1) {
        const { isDone, value } = await call("lease", path);
        if (isDone) return value === ino ? undefined : MEANWHILE;
        if (tries === LEASE_TRIES) return WHY[value] ?? "the kernel cannot say who has it open";
        // Programs that only pass by have a file open for a moment.
        await wait(LEASE_PAUSE_MS);
      }
    },
    /** Exchanges what is at two paths in one step. @throws an error with the code of the system. */
    exchange: (one: string, other: string) => rename("exchange", one, other),
    /** Moves what is at one path to another where nothing is. @throws an error with the code of the system. */
    move: (from: string, to: string) => rename("move", from, to),
    /** Whether a process waits to open the file of a lease. Without a lease none does. */
    isWanted: async (path: string) => (await call("wanted", path)).value !== "0",
    /** Ends a lease: who waits continues. */
    release: async (path: string) => void (await call("release", path)),
    [Symbol.dispose]: () => void child.kill("SIGKILL"),
  };
}

function errno(value: string): string {
  return getSystemErrorName(-Number(value));
}

/** `EAGAIN`, `ENOENT`, `ELOOP`. */
const WHY: Readonly<Record<string, string>> = {
  ...{ 11: "open in another process", 2: MEANWHILE, 40: MEANWHILE },
};
