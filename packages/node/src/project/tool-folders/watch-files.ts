import { type FSWatcher, watch } from "node:fs";
import { dirname } from "node:path";

/** Watches folders, and tells when anything in one of them may have changed. */
export interface FileWatch {
  /** Whether something may have changed since the last reading. Also `true` if that is unknown. */
  readonly isDirty: boolean;
  /** Must be called before reading: changes from then on are reported. */
  looked(): void;
  /** From now on these folders, and those of these files, are watched. */
  settled(folders: Iterable<string>, files: Iterable<string>): void;
  close(): void;
}

/** `onDirty` is called once a burst of changes is over. Keeps no process alive. */
export function watchFiles(onDirty: () => void, quietMs = 50): FileWatch {
  const watchers = new Map<string, FSWatcher | undefined>();
  let isDirty = false;
  let timer: NodeJS.Timeout | undefined;
  const mark = () => {
    isDirty = true;
    clearTimeout(timer);
    timer = setTimeout(onDirty, quietMs).unref();
  };
  const close = (folder: string) => {
    watchers.get(folder)?.close();
    watchers.delete(folder);
  };
  return {
    get isDirty() {
      // A folder that cannot be watched, or is not there yet, may have changed at any time.
      return isDirty || [...watchers.values()].includes(undefined);
    },
    looked() {
      isDirty = false;
    },
    settled(folders, files) {
      const wanted = new Set([...folders, ...[...files].map((file) => dirname(file))]);
      for (const folder of watchers.keys()) {
        if (!wanted.has(folder) || watchers.get(folder) === undefined) close(folder);
      }
      for (const folder of wanted) {
        if (watchers.has(folder)) continue;
        watchers.set(
          folder,
          watchFolder(folder, mark, () => watchers.set(folder, undefined)),
        );
        // It may have changed after it was looked at and before it was watched.
        isDirty = true;
      }
    },
    close() {
      clearTimeout(timer);
      for (const folder of [...watchers.keys()]) close(folder);
    },
  };
}

function watchFolder(folder: string, mark: () => void, onLost: () => void): FSWatcher | undefined {
  try {
    const watcher = watch(folder, { persistent: false }, mark);
    watcher.on("error", () => {
      watcher.close();
      onLost();
      mark();
    });
    return watcher;
  } catch {
    return undefined;
  }
}
