import { hash } from "node:crypto";

/** What is in a file, in few letters. */
export function sha256(content: string | NodeJS.ArrayBufferView): string {
  return hash("sha256", content);
}
