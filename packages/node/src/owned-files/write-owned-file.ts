import { randomUUID } from "node:crypto";
import { open, rename, rm } from "node:fs/promises";

/** Writes a file that only its owner can read, and replaces the old one at once: readers never see half of it. */
export async function writeOwnedFile(path: string, text: string): Promise<void> {
  const draft = `${path}.${randomUUID()}`;
  try {
    const file = await open(draft, "wx", 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
