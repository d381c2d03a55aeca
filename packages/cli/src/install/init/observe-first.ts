import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { directories, readOwnedFile, writeOwnedFile } from "@toolkeep/node/internal";
import { makeEdit, parseClientFile, valueAt } from "../../clients/json-edit.ts";
import { CommandError } from "../../terminal/command-error.ts";

const MOST_BYTES = 1_000_000;

/** The user's configuration. */
export function configFile(): string {
  const { config } = directories();
  const plain = join(config, "config.json");
  return existsSync(plain) ? plain : join(config, "config.jsonc");
}

/** Whether the user's configuration has a mode. */
export async function hasMode(): Promise<boolean> {
  return valueAt(await configText(), ["mode"]) !== undefined;
}

/** Sets the mode `observe` in the user's configuration, for all projects. @throws CommandError */
export async function setObserve(): Promise<string> {
  const file = configFile();
  const text = await configText();
  parseClientFile(text, file);
  await mkdir(directories().config, { recursive: true, mode: 0o700 });
  await writeOwnedFile(file, makeEdit(text, { kind: "set", path: ["mode"], value: "observe" }).text);
  return file;
}

async function configText(): Promise<string> {
  const found = await readOwnedFile(configFile(), { mostBytes: MOST_BYTES, owners: "us" });
  if (found === undefined) return "";
  if (found.error === undefined) return found.text;
  throw new CommandError(`${configFile()} cannot be read: ${found.error}.`);
}
