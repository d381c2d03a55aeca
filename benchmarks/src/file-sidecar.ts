import { mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Sidecar } from "@toolkeep/core/journal";

/** Keeps large outputs as files in a temporary folder. */
export async function fileSidecar(): Promise<Sidecar> {
  const folder = await mkdtemp(join(tmpdir(), "toolkeep-sidecar-"));
  let opened = 0;
  return {
    async open() {
      opened += 1;
      const path = join(folder, `${opened}.out`);
      const file = await open(path, "wx", 0o600);
      return {
        path,
        async write(bytes) {
          await file.writeFile(bytes);
        },
        close: () => file.close(),
      };
    },
    async read(path, range) {
      if (!path.startsWith(folder)) return undefined;
      const file = await open(path, "r");
      try {
        const offset = range?.offset ?? 0;
        const length = range?.length ?? (await file.stat()).size - offset;
        const { buffer, bytesRead } = await file.read(new Uint8Array(length), 0, length, offset);
        return buffer.subarray(0, bytesRead);
      } finally {
        await file.close();
      }
    },
    clear: () => rm(folder, { recursive: true, force: true }),
  };
}
