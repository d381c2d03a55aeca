import { type Looked, look } from "./look-into-folder.ts";

const SLICE_MS = 2;
const PAUSE_MS = 1;
/** A second or two of work. In a larger folder the first command reads the rest. */
const MOST_FOLDERS = 20_000;

interface LookAheadOptions {
  readonly mostFolders?: number;
  readonly look?: (looked: Looked) => { readonly next: readonly Looked[] };
}

/**
 * Reads the folders of a workspace while the model thinks, so that the first command finds them in memory. Nothing that
 * it finds is used: each command looks for itself, and takes from memory only a folder that has not changed. It yields
 * to other work, keeps no process alive, and stops when it is disposed.
 */
export function lookAhead(roots: readonly string[], options: LookAheadOptions = {}): Disposable {
  const { mostFolders = MOST_FOLDERS, look: lookInto = look } = options;
  const waiting = roots.map((path): Looked => ({ path, role: "plain" }));
  let left = mostFolders;
  const slice = () => {
    for (const until = performance.now() + SLICE_MS; performance.now() < until; left -= 1) {
      const looked = waiting.pop();
      if (looked === undefined || left <= 0) return;
      for (const next of lookInto(looked).next) waiting.push(next);
    }
    timer = setTimeout(slice, PAUSE_MS).unref();
  };
  let timer = setTimeout(slice, PAUSE_MS).unref();
  return { [Symbol.dispose]: () => clearTimeout(timer) };
}
