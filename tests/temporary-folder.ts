import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, onTestFinished } from "vitest";

/** A folder for the test that runs, by its real path. It is removed after the test, its `afterEach`, and `before`. */
export function temporaryFolder(before?: () => Promise<void>): string {
  const folder = newFolder();
  onTestFinished(async () => {
    await before?.();
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

/** The same for all tests of a file or a `describe`. */
export function sharedFolder(): string {
  const folder = newFolder();
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** For programs, which remove it themselves. */
export function newFolder(): string {
  return realpathSync(mkdtempSync(join(tmpdir(), "toolkeep-test-")));
}

/** Writes a file, with the folders that it needs, and gives its path. Anything but text and bytes is written as JSON. */
export function putFile(path: string, content: unknown = "", mode?: number): string {
  mkdirSync(dirname(path), { recursive: true });
  const isWritable = typeof content === "string" || content instanceof Uint8Array;
  writeFileSync(path, isWritable ? content : JSON.stringify(content));
  if (mode !== undefined) chmodSync(path, mode);
  return path;
}
