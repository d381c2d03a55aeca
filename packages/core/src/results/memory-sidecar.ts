import type { Sidecar } from "../contract/store/store.ts";

/** A sidecar in memory, with a quota: for tests and for sessions whose output is small. */
export function memorySidecar({ quotaBytes = 64 * 1024 * 1024 } = {}): Sidecar {
  const files = new Map<string, Uint8Array[]>();
  let opened = 0;
  let used = 0;
  return {
    open(callId) {
      opened += 1;
      const path = `memory:${callId}-${opened}`;
      const chunks: Uint8Array[] = [];
      files.set(path, chunks);
      return Promise.resolve({
        path,
        write(bytes) {
          used += bytes.length;
          if (used > quotaBytes)
            throw new Error(`The session's output is over its quota of ${quotaBytes} bytes.`);
          chunks.push(bytes.slice());
        },
        close() {},
      });
    },
    read(path, range = {}) {
      const chunks = files.get(path);
      if (chunks === undefined) return Promise.resolve(undefined);
      const whole = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
      let at = 0;
      for (const chunk of chunks) {
        whole.set(chunk, at);
        at += chunk.length;
      }
      const from = range.offset ?? 0;
      return Promise.resolve(whole.slice(from, range.length === undefined ? undefined : from + range.length));
    },
    clear() {
      files.clear();
      used = 0;
      return Promise.resolve();
    },
  };
}
