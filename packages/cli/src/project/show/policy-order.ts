import { homedir } from "node:os";
import type { Config, PolicyPath } from "@toolkeep/node/internal";
import { type PolicyFile, parsePolicy } from "@toolkeep/policy";
import { CommandError } from "../../terminal/command-error.ts";
import { parsedFile } from "../policy-files.ts";
import { policySources } from "../read-project.ts";
import type { ModeOrigin } from "./effective-settings.ts";

/** A policy file that applies, or why it does not. */
export interface AppliedPolicy {
  readonly path: string;
  readonly layer: PolicyPath["layer"] | "built-in";
  /** Its own rules, without those of files that it extends. */
  readonly rules?: number;
  /** As the file says. That of a project does not apply. */
  readonly mode?: string;
  /** Only its deny and ask rules apply, because the project has changed since it was trusted. */
  readonly narrows?: true;
  /** The first error. While a file is invalid, every call is blocked. */
  readonly error?: string;
}

/** The policy files in the order in which they are read; without any, the recommended policy. */
export function policyOrder(config: Config, cwd: string): readonly AppliedPolicy[] {
  const sources = policySources(config, { cwd });
  const files = sources.map(appliedPolicy);
  const isReplaced = sources.some(({ layer }) => layer === "user" || layer === "managed");
  return isReplaced ? files : [{ path: "toolkeep:recommended", layer: "built-in" }, ...files];
}

function appliedPolicy(source: PolicyPath): AppliedPolicy {
  const { path, layer, narrows } = source;
  const base = { path, layer, ...(narrows === undefined ? {} : { narrows: true as const }) };
  try {
    const { ownRules, mode, diagnostics } = parsed(source);
    const [first] = diagnostics;
    return {
      ...base,
      rules: ownRules.length,
      ...(mode === undefined ? {} : { mode }),
      ...(first === undefined ? {} : { error: `Line ${first.line}: ${first.message}` }),
    };
  } catch (error) {
    if (error instanceof CommandError) return { ...base, error: error.message };
    throw error;
  }
}

/** The text of a project's file is that which was trusted: the file itself is not read again. */
function parsed({ path, layer, text }: PolicyPath): PolicyFile {
  if (layer !== "project" && layer !== "local") return parsedFile({ name: path, path });
  if (text === undefined) throw new CommandError("The file was not read when the project was trusted.");
  return parsePolicy(text, { file: path, home: homedir() });
}

/** The mode of the policy files: the administrator's, or that of the user if the configuration sets none. */
export function modeOf(policies: readonly AppliedPolicy[]): ModeOrigin {
  const managed = policies.findLast(({ layer, mode }) => layer === "managed" && mode !== undefined);
  const found = managed ?? policies.findLast(({ layer, mode }) => layer === "user" && mode !== undefined);
  if (found?.mode === undefined) return { value: "ask" };
  return { value: found.mode, file: found.path, ...(managed === undefined ? {} : { isManaged: true }) };
}
