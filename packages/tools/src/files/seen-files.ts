/**
 * What sessions have seen of files, so that none of them replaces what it does not know. It is kept in memory
 * and within bounds; what is forgotten must be read again, so forgetting is safe.
 */
export interface SeenFiles {
  get(place: SeenPath): SeenFile | undefined;
  set(place: SeenPath, file: SeenFile): void;
  delete(place: SeenPath): void;
}

/** A file as one session knows it. */
export interface SeenPath {
  readonly sessionId: string;
  /** Canonical. */
  readonly path: string;
}

export interface SeenFile {
  readonly version: string;
  /** All that was in it; missing where that was not seen whole. */
  readonly bytes?: Uint8Array;
}

const MOST_FILES = 20_000;
const MOST_BYTES = 16 * 1_024 * 1_024;
const LONGEST_KEPT = 512 * 1_024;

export function createSeenFiles(): SeenFiles {
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
    get(place) {
      const key = keyOf(place);
      const file = files.get(key);
      const bytes = contents.get(key);
      return file === undefined || bytes === undefined ? file : { ...file, bytes };
    },
    set(place, { version, bytes }) {
      const key = keyOf(place);
      drop(key);
      files.delete(key);
      files.set(key, { version });
      if (bytes !== undefined) keep(key, bytes);
      const [oldest] = files.keys();
      if (files.size <= MOST_FILES || oldest === undefined) return;
      files.delete(oldest);
      drop(oldest);
    },
    delete(place) {
      const key = keyOf(place);
      files.delete(key);
      drop(key);
    },
  };
}

/** What tools share that were not given a memory of their own: those made one by one belong together all the same. */
export const SEEN_FILES: SeenFiles = createSeenFiles();

function keyOf({ sessionId, path }: SeenPath): string {
  return `${sessionId}\0${path}`;
}
