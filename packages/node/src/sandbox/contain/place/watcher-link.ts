import type { Readable, Writable } from "node:stream";

/** What the watcher sees. */
export interface WatcherEvents {
  /** A packet that wants to leave, or one to an address that is local only in the place. */
  packet(bytes: Buffer, isRefused: boolean): void;
  /** A process looked at what is watched under this number. */
  looked(watch: number): void;
}

/** Our end of the pipes to the watcher. */
export interface Watcher {
  send(packet: Buffer): void;
  /** Its number; below zero where it cannot be watched. */
  watch(path: string): Promise<number>;
  /** What listens in the network of the user, and in that of the place: family, port and address of each, in hex. */
  listening(): Promise<readonly [outer: string, inner: string]>;
  /** Resolves when everything was told that happened until now. */
  settle(): Promise<void>;
}

export function watcherLink(input: Writable, output: Readable, events: WatcherEvents): Watcher {
  const added: ((watch: number) => void)[] = [];
  const settled: (() => void)[] = [];
  const listed: ((lists: readonly [string, string]) => void)[] = [];
  let held = "";
  output.setEncoding("latin1").on("data", (chunk: string) => {
    const lines = (held + chunk).split("\n");
    held = lines.pop() ?? "";
    for (const line of lines) take(line[0] ?? "", line.slice(2));
  });

  function take(kind: string, rest: string): void {
    if (kind === "w") events.packet(Buffer.from(rest, "hex"), false);
    else if (kind === "l") events.packet(Buffer.from(rest, "hex"), true);
    else if (kind === "i") events.looked(Number(rest));
    else if (kind === "a") added.shift()?.(Number(rest));
    else if (kind === "p") {
      const [outer = "", inner = ""] = rest.split(" ");
      listed.shift()?.([outer, inner]);
    } else settled.shift()?.();
  }

  return {
    send: (packet) => void input.write(`w ${packet.toString("hex")}\n`),
    watch(path) {
      const { promise, resolve } = Promise.withResolvers<number>();
      added.push(resolve);
      input.write(`a ${path}\n`);
      return promise;
    },
    listening() {
      const { promise, resolve } = Promise.withResolvers<readonly [string, string]>();
      listed.push(resolve);
      input.write("p -\n");
      return promise;
    },
    settle() {
      const { promise, resolve } = Promise.withResolvers<void>();
      settled.push(resolve);
      input.write("s -\n");
      return promise;
    },
  };
}
