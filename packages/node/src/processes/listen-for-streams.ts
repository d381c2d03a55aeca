import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ToolFailure } from "@toolkeep/core";

/** Our ends of the streams of one command, in a folder that nobody else may enter. */
export interface StreamListener {
  readonly socketPath: string;
  /** Input, output and errors, once the spawner has connected them. */
  readonly accepted: Promise<readonly [Socket, Socket, Socket]>;
  /** Takes no more; with `all`, also drops what was accepted. */
  close(all?: "all"): Promise<void>;
}

/** What the name of a socket may have at most, on any system. */
const LONGEST_PATH = 100;

/** Waits for the three streams of one command. */
export async function listenForStreams(): Promise<StreamListener> {
  const folder = await mkdtemp(join(shortEnough(tmpdir()), "toolkeep-"));
  const socketPath = join(folder, "s");
  const sockets: Socket[] = [];
  const accepted = Promise.withResolvers<readonly [Socket, Socket, Socket]>();
  accepted.promise.catch(() => {});
  const server = createServer({ pauseOnConnect: true, allowHalfOpen: true }, (socket) => {
    // A command that goes away is no error of ours; who reads or writes is told.
    socket.on("error", () => {});
    if (sockets.push(socket) > 3) socket.destroy();
    const [input, output, errors] = sockets;
    if (input && output && errors) accepted.resolve([input, output, errors]);
  });
  server.listen(socketPath);
  await once(server, "listening");
  return {
    socketPath,
    accepted: accepted.promise,
    async close(all) {
      if (all !== undefined) for (const socket of sockets) socket.destroy();
      accepted.reject(new ToolFailure("unavailable", "The streams of the command were not connected."));
      await stopListening(server, folder);
    },
  };
}

/** Those that were accepted live on. */
async function stopListening(server: Server, folder: string): Promise<void> {
  server.close();
  await rm(folder, { recursive: true, force: true });
}

function shortEnough(folder: string): string {
  return folder.length + "/toolkeep-XXXXXX/s".length > LONGEST_PATH ? "/tmp" : folder;
}
