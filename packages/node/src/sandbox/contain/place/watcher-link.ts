import type { ChildProcess } from "node:child_process";
import { lineAnswers } from "./line-answers.ts";

interface WatcherEvents {
  /** A packet that wants to leave, or one to an address that is local only in the place. */
  packet(bytes: Buffer, isRefused: boolean): void;
  /** A process looked at what is watched under this number. */
  looked(watch: number): void;
}

export type Watcher = ReturnType<typeof watcherLink>;

/** Our end of the pipes to the watcher. */
export function watcherLink(watcher: Pick<ChildProcess, "stdin" | "stdout">, events: WatcherEvents) {
  const ask = lineAnswers(watcher, (line) => {
    const [kind, rest] = [line[0], line.slice(2)];
    if (kind === "w" || kind === "l") events.packet(Buffer.from(rest, "hex"), kind === "l");
    else if (kind === "i") events.looked(Number(rest));
    else return true;
    return false;
  });
  return {
    send: (packet: Buffer) => void watcher.stdin?.write(`w ${packet.toString("hex")}\n`),
    /** Its number; below zero where it cannot be watched. */
    watch: async (path: string) => Number((await ask(`a ${path}`))?.slice(2) ?? -1),
    /** What listens in the network of the user, and in that of the place: family, port and address of each, in hex. */
    async listening() {
      const [, outer = "", inner = ""] = (await ask("p -"))?.split(" ") ?? [];
      return [outer, inner] as const;
    },
    /** Resolves when everything was told that happened until now. */
    settle: () => ask("s -"),
  };
}
