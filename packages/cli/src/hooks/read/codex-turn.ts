import { closeSync, fstatSync, openSync, readdirSync, readFileSync, readSync } from "node:fs";
import { join } from "node:path";
import { type Fields, isFields, textIn } from "../../clients/payload.ts";

const MOST_BYTES = 8_000_000;
const TURN = '"turn_context"';

/**
 * Whether Codex runs the commands of this turn without a sandbox of its own, as its record of the conversation says.
 * False if that is not known. It decides only whether a command is moved to our sandbox, which cannot start in another.
 */
export function isSandboxOff(payload: Fields): boolean {
  const file = textIn(payload, "transcript_path");
  const turn = textIn(payload, "turn_id");
  if (file === undefined || turn === undefined) return false;
  try {
    const lines = endOf(file).split("\n");
    const found = lines.findLast((line) => line.includes(TURN) && line.includes(turn));
    const record: unknown = JSON.parse(found ?? "");
    const context = isFields(record) && record["type"] === "turn_context" ? record["payload"] : undefined;
    if (!isFields(context) || context["turn_id"] !== turn || !isFields(context["sandbox_policy"]))
      return false;
    return context["sandbox_policy"]["type"] === "danger-full-access";
  } catch {
    return false;
  }
}

function endOf(file: string): string {
  const handle = openSync(file, "r");
  try {
    const { size } = fstatSync(handle);
    const bytes = Buffer.alloc(Math.min(size, MOST_BYTES));
    const read = readSync(handle, bytes, 0, bytes.length, size - bytes.length);
    return bytes.toString("utf8", 0, read);
  } finally {
    closeSync(handle);
  }
}

/**
 * Whether Codex has rules of its own that forbid a command or ask about it, in one of these folders. It would evaluate
 * them on the replaced text. Files that cannot be read may have some.
 */
export function hasOwnRules(folders: readonly string[]): boolean {
  return folders.some((folder) => {
    try {
      const rules = readdirSync(join(folder, "rules")).filter((name) => name.endsWith(".rules"));
      return rules.some((name) => /forbidden|prompt/.test(readFileSync(join(folder, "rules", name), "utf8")));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      return code !== "ENOENT" && code !== "ENOTDIR";
    }
  });
}
