import { spawn } from "node:child_process";
import type { TreeRoot } from "@toolkeep/node/internal";

/** Outlives this process if it is killed, and ends the server's processes. */
export interface OrphanGuard {
  /** Call it once the tree is gone: from then on its process ids may be reused. */
  dismiss(): void;
}

/**
 * Waits on a pipe from this process. A line means that all is over; end of file without one means that this process
 * died, and then the tree is ended too.
 */
const SCRIPT = `
read -r _ && exit 0
group=$1 mark=$2 folder=$3
end() {
  kill -s "$1" -- "-$group"
  for process in /proc/[0-9]*; do
    if grep -qs -- "$mark" "$process/environ"; then kill -s "$1" -- "\${process#/proc/}"; fi
  done
}
end TERM
sleep 1
end KILL
if [ -n "$folder" ]; then rm -rf -- "$folder"; fi
`;

/** Starts a shell, if there is one, that ends the tree and removes its start folder when this process dies. */
export function orphanGuard({ pid, marker }: TreeRoot, folder = ""): OrphanGuard {
  const child = spawn("/bin/sh", ["-c", SCRIPT, "toolkeep-guard", `${pid}`, marker, folder], {
    // In its own process group, so that ending our group does not end the guard.
    detached: true,
    cwd: "/",
    env: { PATH: "/usr/bin:/bin" },
    stdio: ["pipe", "ignore", "ignore"],
  });
  child.on("error", () => {});
  child.stdin.on("error", () => {});
  child.unref();
  return { dismiss: () => void child.stdin.end("over\n") };
}
