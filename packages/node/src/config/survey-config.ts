import { readOwnedFile } from "../owned-files/read-owned-file.ts";
import { sha256 } from "../trust/sha256.ts";
import { projectFiles } from "./config-files.ts";
import { MOST_CONFIG_BYTES, type ReadingOptions, readConfigFile } from "./read-config-file.ts";

/**
 * What of a project's configuration would be obeyed in a folder: its files from the outermost folder down to that
 * one, and the policy files that they name. By path, with a hash. Must be trusted before.
 */
export async function surveyConfig(
  project: string,
  folder: string,
  options: ReadingOptions,
): Promise<ReadonlyMap<string, string>> {
  const things = new Map<string, string>();
  for (const config of (await projectFiles(project, folder)).files) {
    const { hash, statements } = await readConfigFile(config, options);
    if (hash !== undefined) things.set(config.file, hash);
    for (const { path, value } of statements) {
      if (path.join(".") !== "policy") continue;
      const hashOfPolicy = await policyHash(String(value), project, options);
      if (hashOfPolicy !== undefined) things.set(String(value), hashOfPolicy);
    }
  }
  return things;
}

async function policyHash(
  path: string,
  beneath: string,
  { owners }: ReadingOptions,
): Promise<string | undefined> {
  const found = await readOwnedFile(path, { mostBytes: MOST_CONFIG_BYTES, beneath, owners });
  if (found === undefined) return undefined;
  return found.error === undefined ? sha256(found.text) : `unread: ${found.error}`;
}
