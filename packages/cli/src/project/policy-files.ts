import { existsSync, readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, resolve } from "node:path";
import { defined, visible } from "@toolkeep/core/internal";
import { createProjectTrust, readConfig } from "@toolkeep/node/internal";
import { checkPolicy, type PolicyFile, parsePolicy } from "@toolkeep/policy";
import { CommandError, EXIT, usageError } from "../terminal/command-error.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { invalidConfig, policySources } from "./read-project.ts";
import { trustState } from "./trust-state.ts";

const MOST_BYTES = 1_000_000;

/** A policy file that a user named, as it was typed, and where it is. */
export interface NamedFile {
  readonly name: string;
  readonly path: string;
  /** Of a trusted project's file: the text that applies. */
  readonly text?: string;
}

/**
 * The files that a user named; without any, those that apply in a directory. Nothing of a project is among these
 * unless it is trusted. A file that has changed since is taken as it is now.
 * @throws CommandError if no file applies.
 */
export async function policyFiles(
  names: readonly string[],
  { cwd, note }: Pick<Terminal, "cwd" | "note">,
): Promise<readonly NamedFile[]> {
  if (names.length > 0) return names.map((name) => ({ name, path: resolve(cwd, name) }));
  const reading = await readConfig({ cwd, trust: createProjectTrust({ again: "changed" }) });
  const { config, project } = reading;
  if (config === undefined) throw invalidConfig("the policy files cannot be located", reading);
  const policy = policySources(config, { cwd });
  const { ignored } = await trustState(project, cwd, { ...reading, config: { ...config, policy } });
  const whole = policy.filter(({ narrows }) => narrows === undefined);
  const changed = [...new Set(policy.filter((one) => !whole.includes(one)).map(({ path }) => path))];
  const files = [
    ...whole.map(({ path, text }) => ({ name: path, path, ...defined({ text }) })),
    ...changed.filter((path) => existsSync(path)).map((path) => ({ name: path, path })),
  ];
  if (files.length > 0) {
    if (ignored !== undefined) note(visible(`${ignored.message} Run \`${ignored.command}\`.`));
    return files;
  }
  throw new CommandError(ignored?.message ?? "No policy file applies here: the recommended policy decides.", {
    exit: EXIT.usage,
    hint:
      ignored === undefined
        ? "Name a file, e.g. toolkeep policy check policy.yaml"
        : `Run \`${ignored.command}\`, or name a file, e.g. toolkeep policy check policy.yaml`,
  });
}

/** Checks a file with the files that it extends. @throws CommandError if it cannot be read. */
export function checkedFile(file: NamedFile): ReturnType<typeof checkPolicy> {
  return checkPolicy(readText(file), optionsFor(file));
}

/** Parses a file with the files that it extends. `workspace`: the value of `{workspace}`. @throws CommandError */
export function parsedFile(file: NamedFile, workspace?: readonly string[]): PolicyFile {
  return parsePolicy(readText(file), {
    ...optionsFor(file),
    ...(workspace === undefined ? {} : { variables: { workspace } }),
  });
}

/** What a project's file extends is not part of what was trusted. */
function optionsFor({ name, path, text }: NamedFile) {
  return {
    file: name,
    home: homedir(),
    extends: (other: string) => {
      if (text !== undefined) return undefined;
      const at = resolve(dirname(path), other);
      return existsSync(at) ? readText({ name: other, path: at }) : undefined;
    },
  };
}

/** The text of a file of at most a megabyte. @throws CommandError */
export function readText({ name, path, text }: NamedFile): string {
  if (text !== undefined) return text;
  try {
    const stats = statSync(path);
    if (!stats.isFile()) throw usageError(`${name} is not a file.`);
    if (stats.size > MOST_BYTES) throw usageError(`${name} is larger than ${MOST_BYTES} bytes.`);
    return readFileSync(path, "utf8");
  } catch (error) {
    if (error instanceof CommandError) throw error;
    const code = (error as NodeJS.ErrnoException).code ?? "unknown";
    throw usageError(`The file ${name} cannot be read (${code}).`, "Check the path.");
  }
}
