import { type Effect, ToolFailure } from "@toolkeep/core";
import type {
  FileChange,
  FileEntry,
  Files,
  Grant,
  ListQuery,
  SearchMatch,
  SearchQuery,
  WrittenFile,
} from "@toolkeep/core/ports";
import { recordsFolder } from "../changes/change-journal.ts";
import { writeAll } from "../changes/write-all.ts";
import { FILE_BOUNDS } from "../files/file-bounds.ts";
import { fileFailure } from "../files/file-failure.ts";
import { guardedFiles } from "../files/guarded-files.ts";
import type { OwnWrites } from "../sandbox/contain/commit/own-writes.ts";
import type { SessionPaths } from "./session-paths.ts";

interface SessionFilesOptions {
  readonly root: string;
  readonly limits?: Parameters<typeof guardedFiles>[1];
  /** Keeps what changes, to undo it. */
  readonly own?: OwnWrites | undefined;
}

/** File access where paths mean what they mean in the session. Relative paths start in the root. */
export function sessionFiles(
  grant: Grant,
  paths: SessionPaths,
  { root, limits, own }: SessionFilesOptions,
): Files {
  const granted = onDiskGrant(grant, paths);
  const files = guardedFiles(granted, limits, own?.before);
  const changing = <Result>(change: () => Promise<Result>) => own?.during(change) ?? change();
  // Not normalized: `..` after a link leads elsewhere, and the files resolve links themselves.
  const absolute = (path: string) => (path.startsWith("/") || path === "" ? path : `${root}/${path}`);

  async function onDisk(path: string): Promise<string> {
    const whole = absolute(path);
    if (!paths.isTemporary(whole)) return whole;
    return paths.onDisk(await paths.canonicalPath(whole));
  }

  /** Messages name the path of the session, and not where it is on the machine. */
  async function inWords<Outcome>(path: string, act: (onDisk: string) => Promise<Outcome>): Promise<Outcome> {
    const found = await onDisk(path);
    try {
      return await act(found);
    } catch (error) {
      throw renamed(error, paths);
    }
  }

  async function* each<Found extends FileEntry | SearchMatch>(
    query: ListQuery | SearchQuery,
    find: (root: string) => AsyncIterable<Found>,
  ): AsyncGenerator<Found, void, void> {
    try {
      for await (const one of find(await onDisk(query.root)))
        yield { ...one, path: paths.inSession(one.path) ?? one.path };
    } catch (error) {
      throw renamed(error, paths);
    }
  }

  async function changeAll(changes: readonly FileChange[]): Promise<readonly WrittenFile[]> {
    const [{ path = "", content = undefined, ...conditions } = {}, ...more] = changes;
    // One file is replaced at once in any case.
    if (more.length === 0 && content !== undefined)
      return [await inWords(path, (found) => files.write(found, content, conditions))];
    const mostBytes = limits?.writeBytes ?? FILE_BOUNDS.writeBytes;
    const records = recordsFolder();
    const found = changes.map(async (change) => ({ ...change, path: await onDisk(change.path) }));
    try {
      return await writeAll({
        grant: granted,
        changes: await Promise.all(found),
        mostBytes,
        records,
        before: own?.before,
      });
    } catch (error) {
      throw renamed(fileFailure(error, changes.map(({ path }) => path).join(", ")), paths);
    }
  }

  return Object.freeze<Files>({
    read: (path, range) => inWords(path, (found) => files.read(found, range)),
    write: (path, content, options) =>
      changing(() => inWords(path, (found) => files.write(found, content, options))),
    remove: (path) => changing(() => inWords(path, (found) => files.remove(found))),
    writeAll: (changes) => changing(() => changeAll(changes)),
    list: (query) => each(query, (found) => files.list({ ...query, root: found })),
    search: (query) => each(query, (found) => files.search({ ...query, root: found })),
  });
}

/** What is checked are the paths of the session; what has none there is refused. */
function onDiskGrant(grant: Grant, { inSession }: SessionPaths): Grant {
  const { leavesOut } = grant;
  const named = (access: Effect): Effect => {
    if (!access.capability.startsWith("fs.")) return access;
    const target = inSession(access.target);
    return target === undefined
      ? grant.refuse(access, "is a temporary file outside of this session")
      : { ...access, target };
  };
  return {
    ...grant,
    check: (access) => grant.check(named(access)),
    refuse: (access, reason) => grant.refuse(named(access), reason),
    ...(leavesOut === undefined ? {} : { leavesOut: (path: string) => leavesOut(inSession(path) ?? path) }),
  };
}

function renamed(error: unknown, { inText }: SessionPaths): unknown {
  const message = ToolFailure.isInstance(error) ? inText(error.message) : undefined;
  if (!ToolFailure.isInstance(error) || message === undefined || message === error.message) return error;
  const { code, hint, transient, cause } = error;
  return new ToolFailure(code, message, { transient, cause, ...(hint === undefined ? {} : { hint }) });
}
