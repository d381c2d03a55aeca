import type { Sidecar } from "@toolkeep/core/journal";
import type { FolderSidecar, SpooledOutput } from "@toolkeep/sqlite/internal";

const CHUNK = 1_024 * 1_024;

/** Keeps outputs where all processes of the store find them. Commands write locally first: their sandbox sees no more. */
export function storedOutputs(local: FolderSidecar, shared: Sidecar): FolderSidecar {
  return {
    ...local,
    open: (callId, options) => shared.open(callId, options),
    read: async (path, range) => (await shared.read(path, range)) ?? local.read(path, range),
    async spool(callId, limitBytes) {
      const spool = await local.spool(callId, limitBytes);
      return { ...spool, keep: () => keepShared(callId, spool, { local, shared }) };
    },
    clear: () => Promise.all([shared.clear(), local.clear()]).then(() => {}),
  };
}

/** Returns the path on this machine where the output cannot be shared: it is too large, or the storage fails. */
async function keepShared(
  callId: string,
  spool: SpooledOutput,
  { local, shared }: { readonly local: FolderSidecar; readonly shared: Sidecar },
): Promise<string> {
  const path = await spool.keep();
  try {
    const file = await shared.open(callId);
    for (let offset = 0; ; offset += CHUNK) {
      // The folder redacts what is read from it.
      const chunk = await local.read(path, { offset, length: CHUNK });
      if (chunk === undefined) return path;
      await file.write(chunk);
      if (chunk.length < CHUNK) break;
    }
    await file.close();
    return file.path;
  } catch {
    return path;
  }
}
