/**
 * Remembers which files a session has read, so that it cannot overwrite contents it does not know. Kept in memory and
 * bounded; a forgotten file must be read again, so forgetting is safe.
 */
interface SeenFiles {
  get(target: SeenPath): SeenFile | undefined;
  set(target: SeenPath, file: SeenFile): void;
  delete(target: SeenPath): void;
}

/** A file as one session knows it. */
export interface SeenPath {
  readonly sessionId: string;
  /** The canonical path. */
  readonly path: string;
}

/** What a session has read of a file. */
export interface SeenFile {
  readonly version: string;
  /** The whole contents; missing if the session has not seen the whole file. */
  readonly bytes?: Uint8Array;
}

const MOST_FILES = 20_000;
const MOST_BYTES = 16 * 1_024 * 1_024;
const LONGEST_KEPT = 512 * 1_024;

function createSeenFiles(): SeenFiles {
  const files = new Map<string, SeenFile>();
  const contents = new Map<string, Uint8Array>();
  let kept = 0;

  function drop(key: string): void {
    kept -= contents.get(key)?.length ?? 0;
    contents.delete(key);
  }

  function keep(key: string, bytes: Uint8Array): void {
    if (bytes.length > LONGEST_KEPT) return;
    contents.set(key, bytes);
    kept += bytes.length;
    for (const oldest of contents.keys()) {
      if (kept <= MOST_BYTES) return;
      drop(oldest);
    }
  }

  return {
    get(target) {
      const key = keyOf(target);
      const file = files.get(key);
      const bytes = contents.get(key);
      return file === undefined || bytes === undefined ? file : { ...file, bytes };
    },
    set(target, { version, bytes }) {
      const key = keyOf(target);
      drop(key);
      files.delete(key);
      files.set(key, { version });
      if (bytes !== undefined) keep(key, bytes);
      const [oldest] = files.keys();
      if (files.size <= MOST_FILES || oldest === undefined) return;
      files.delete(oldest);
      drop(oldest);
    },
    delete(target) {
      const key = keyOf(target);
      files.delete(key);
      drop(key);
    },
  };
}

/** Shared by `read`, `write` and `edit`. */
export const SEEN_FILES: SeenFiles = createSeenFiles();

function keyOf({ sessionId, path }: SeenPath): string {
  return `${sessionId}\0${path}`;
}
