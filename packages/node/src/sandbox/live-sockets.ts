import { readFileSync, realpathSync } from "node:fs";
import { connect } from "node:net";
import { basename, isAbsolute } from "node:path";
import { ToolFailure } from "@toolkeep/core";
import { errorCode } from "../files/file-failure.ts";
import { isWithin } from "../files/path-within.ts";
import { type Find, findAt } from "./find.ts";

/*
 * A Unix socket beneath the folders of a sandbox leads out of it: no network namespace holds one that has a path. So
 * sockets are covered when the sandbox starts. One that no process listens on is left as it is, because a covered file
 * cannot be removed, and programs remove the sockets of their last run.
 */

/** Instead of the sockets that were found, those that some process listens on, also where the survey does not look. */
export async function withLiveSockets(
  finds: readonly Find[],
  directories: readonly string[],
): Promise<readonly Find[]> {
  const listed = process.platform === "linux" && directories.length > 0 ? listedPaths() : [];
  const bound = [...new Set(listed.filter(isAbsolute))].flatMap((path) => socketAt(path, directories));
  const known = new Set(bound.map(({ path }) => path));
  // Whose folder the kernel does not tell. A server may not bear a connection that ends at once, so none is made to it.
  const relative = new Set(listed.filter((path) => !isAbsolute(path)).map((path) => basename(path)));
  const doubtful = finds.filter(({ path, kind }) => kind === "socket" && !known.has(path));
  const isLive = async ({ path }: Find) => relative.has(basename(path)) || (await isListenedOn(path));
  const live = await Promise.all(doubtful.map(async (find) => ((await isLive(find)) ? [find] : [])));
  return [...finds.filter(({ kind }) => kind !== "socket"), ...bound, ...live.flat()];
}

const LIST = "/proc/net/unix";
/** Seven numbers, the last one filled up with blanks, and the path. */
const BOUND = /^(?:[0-9A-Fa-f]+:? +){7}([^@].*)$/;

/** Of sockets that have a path, as the kernel lists them for our own network: as they were bound, also relative ones. */
function listedPaths(): readonly string[] {
  return listOfKernel()
    .split("\n")
    .flatMap((line) => BOUND.exec(line)?.[1] ?? []);
}

function listOfKernel(): string {
  try {
    return readFileSync(LIST, "utf8");
  } catch (error) {
    throw new ToolFailure(
      "unavailable",
      `Sockets that lead out of the sandbox cannot be listed: ${LIST} cannot be read (${errorCode(error) ?? "unknown error"}).`,
      { hint: "Mount /proc, and let this process read it. No command runs without that list." },
    );
  }
}

function socketAt(path: string, directories: readonly string[]): readonly Find[] {
  try {
    const end = realpathSync.native(path);
    const find = directories.some((place) => isWithin(end, place)) ? findAt(end, "socket") : undefined;
    return find?.type === "other" ? [find] : [];
  } catch {
    return [];
  }
}

/** Only the refusal means that nothing does: of one of another kind, or not open to us, it is not known. */
function isListenedOn(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", ({ code }: NodeJS.ErrnoException) => resolve(code !== "ECONNREFUSED"));
  });
}
