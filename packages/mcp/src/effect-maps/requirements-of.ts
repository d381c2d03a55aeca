import type { RequirementSet } from "@toolkeep/core";
import type { MappedTool } from "./effect-map.ts";

/** Where mapped tools may touch files unless the settings of their server say more. */
const PLACES = ["{workspace}/**", "{ad-hoc}", "{ad-hoc}/**"];

/** What a mapped tool may ever need. `files` are patterns of what it may touch beside the workspace. */
export function requirementsOf({ effects }: MappedTool, files: readonly string[] = []): RequirementSet {
  const names = new Set(effects.map(({ capability }) => capability));
  const directories = [...PLACES, ...files];
  const writes = names.has("fs.write") || names.has("fs.delete");
  const others = [...names].filter((name) => !COVERED.has(name));
  return {
    ...(names.has("fs.read") || writes
      ? {
          fs: {
            ...(names.has("fs.read") ? { read: directories } : {}),
            ...(writes ? { write: directories } : {}),
          },
        }
      : {}),
    ...(names.has("net.fetch") ? { net: { hosts: ["*"] } } : {}),
    ...(others.length === 0 ? {} : { capabilities: others }),
  };
}

/** What has fields of its own in a requirement. */
const COVERED: ReadonlySet<string> = new Set(["fs.read", "fs.write", "fs.delete", "net.fetch"]);
