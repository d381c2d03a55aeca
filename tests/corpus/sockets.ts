import { mkdirSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { dirname } from "node:path";

let serving: readonly Server[] = [];

/** Services that listen in the workspace from here on, in the place of those of the record before. Says whether one was reached. */
export function serveSockets(paths: readonly string[]): () => boolean {
  let isReached = false;
  for (const server of serving) server.close();
  serving = paths.map((path) => {
    mkdirSync(dirname(path), { recursive: true });
    const server = createServer((connection) => {
      isReached = true;
      connection.on("error", () => {});
      connection.end("welcome\n");
    });
    server.unref();
    return server.listen(path);
  });
  return () => isReached;
}
