import { spawn } from "node:child_process";
import { MARKER_NAME, type TreeRoot } from "./process-tree.ts";

/** Outlives us if we are killed, and ends what we would have ended. */
export interface OrphanGuard {
  /** To be called once the tree is gone: from then on its process ids may belong to somebody else. */
  dismiss(): void;
}

/**
 * Waits on a pipe from us. A line means that all is over; its end without one means that we died, however that
 * happened, and then the tree goes too.
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

/**
 * Starts a small shell that ends the tree when this process does, and removes the folder that was made for it, if
 * there is one. Where there is no shell, there is no guard.
 */
export function orphanGuard({ pid, marker }: TreeRoot, folder = ""): OrphanGuard {
  const mark = `${MARKER_NAME}=${marker}`;
  const child = spawn("/bin/sh", ["-c", SCRIPT, "toolkeep-guard", `${pid}`, mark, folder], {
    // In a group of its own, so that what ends our group does not end the guard.
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
