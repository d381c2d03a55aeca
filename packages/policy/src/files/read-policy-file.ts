import { closeSync, fstatSync, openSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, resolve } from "node:path";
import { invalidOption } from "@toolkeep/core/internal";
import type { Policy } from "@toolkeep/core/policy";
import { type ParsePolicyOptions, parsePolicy } from "./parse-policy.ts";
import { policyDefinition } from "./policy-file.ts";

const MOST_BYTES = 1_000_000;

/**
 * Reads a policy file, with the files that it extends, for `createSession({ policy })`. Names under `extends` are
 * paths relative to the directory of the file. Default `scope`: `project`; default `home`, the value of `~`: the home
 * directory of the user.
 *
 * @throws ToolkeepError `invalid_option` for a file that cannot be read, or with every diagnostic of an invalid one.
 *
 * @example
 * const session = await createSession({ tools, policy: await readPolicyFile("policy.yaml") });
 */
export async function readPolicyFile(
  path: string,
  options: Omit<ParsePolicyOptions, "file" | "extends"> = {},
): Promise<Policy["definition"]> {
  const text = readBounded(path);
  if (text === undefined) throw invalidOption(`The policy file ${path} does not exist.`);
  const file = parsePolicy(text, {
    home: homedir(),
    ...options,
    file: path,
    extends: (name) => readBounded(resolve(dirname(path), name)),
  });
  return policyDefinition(file);
}

/** The text of a regular file; `undefined` if it does not exist. */
function readBounded(path: string): string | undefined {
  let file: number;
  try {
    file = openSync(path, "r");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    const message = `The policy file ${path} cannot be read: ${(error as Error).message}`;
    throw invalidOption(message, { cause: error });
  }
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) throw invalidOption(`${path} is not a regular file.`);
    if (stats.size > MOST_BYTES)
      throw invalidOption(`The policy file ${path} has more than ${MOST_BYTES} bytes.`);
    return readFileSync(file, "utf8");
  } finally {
    closeSync(file);
  }
}
