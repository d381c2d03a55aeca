import type { RequirementSet } from "@toolkeep/core";
import type { MappedTool } from "./effect-map.ts";
import { STATED } from "./stated-capabilities.ts";

/** Where mapped tools may access files unless the settings of their server allow more. */
const PATTERNS = ["{workspace}/**", "{ad-hoc}", "{ad-hoc}/**"];

/** What a mapped tool can require. `files` are patterns in addition to the workspace. */
export function requirementsOf({ effects }: MappedTool, files: readonly string[] = []): RequirementSet {
  const names = new Set(effects.flatMap(({ capability, stated }) => [capability, ...(stated ? STATED : [])]));
  const patterns = [...PATTERNS, ...files];
  const writes = names.has("fs.write") || names.has("fs.delete");
  const others = [...names].filter((name) => !COVERED.has(name));
  return {
    ...(names.has("fs.read") || writes
      ? {
          fs: {
            ...(names.has("fs.read") ? { read: patterns } : {}),
            ...(writes ? { write: patterns } : {}),
          },
        }
      : {}),
    ...(names.has("net.fetch") ? { net: { hosts: ["*"] } } : {}),
    ...(others.length === 0 ? {} : { capabilities: others }),
  };
}

/** Capabilities with their own fields in a requirement. */
const COVERED: ReadonlySet<string> = new Set(["fs.read", "fs.write", "fs.delete", "net.fetch"]);
