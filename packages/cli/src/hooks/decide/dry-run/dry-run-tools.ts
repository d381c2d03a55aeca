import { defineTool, type Effect, type RequirementSet, type Tool } from "@toolkeep/core";
import { effect, fsDelete, type ToolMode } from "@toolkeep/core/internal";
import type { EffectResolver } from "@toolkeep/core/ports";
import {
  bashTool,
  editTool,
  globTool,
  grepTool,
  listTool,
  readTool,
  webFetchTool,
  writeTool,
} from "@toolkeep/tools/authoring";
import { DELEGATED, type DryRunName } from "../../../clients/hook-call.ts";
import { searchesOnDisk } from "./search-effects.ts";
import { editsOnDisk, writesOnDisk } from "./write-effects.ts";

/**
 * Tools with the effects of ours that execute nothing: the client does. They require everything that a client's own
 * tools can reach, and the policy decides. All of them are gated, so that a call that no rule matches asks, as it does
 * for a server's tool.
 */
export function dryRunTools(): readonly Tool[] {
  return [
    dryRunTool({ ...bashTool(), requires: ANY_COMMAND }),
    dryRunTool({ ...readTool(), requires: ANY_FILE }),
    dryRunTool({ ...writeTool(), requires: ANY_FILE, effects: writesOnDisk }),
    dryRunTool({ ...editTool(), requires: ANY_FILE, effects: editsOnDisk }),
    dryRunTool({ ...globTool(), requires: ANY_FILE }),
    dryRunTool({ ...grepTool(), requires: ANY_FILE, effects: searchesOnDisk }),
    dryRunTool({ ...listTool(), requires: ANY_FILE }),
    dryRunTool({ ...webFetchTool(), requires: { net: { hosts: ["*"] } } }),
    dryRunTool({ name: "delete", mode: "destructive", requires: ANY_FILE, effects: deleting }),
    dryRunTool({ name: "web_search", mode: "external", requires: SEARCH, effects: searching }),
    dryRunTool({ name: "client_unknown", mode: "external", requires: "unknown" }),
  ];
}

/** A command that will run in the sandbox: it requires only what the sandbox opens. */
export function confinedDryRunTool(): Tool {
  return dryRunTool(bashTool());
}

const ANY_FILE: RequirementSet = { fs: { read: ["/**"], write: ["/**"] } };
const ANY_COMMAND: RequirementSet = {
  ...ANY_FILE,
  capabilities: [
    "shell.run",
    "shell.dynamic",
    "git.push",
    "git.commit",
    "git.read",
    "package.publish",
    "package.install",
    "package.run",
  ],
};
const SEARCH: RequirementSet = { capabilities: ["net.search"] };

const deleting = ({ path }: { readonly path: string }) => [fsDelete(path)];
const searching = () => [effect("net.search", "web")];

interface DryRunParts {
  readonly name: DryRunName | (string & {});
  readonly mode: ToolMode;
  readonly requires: Tool["requires"];
  effects?(args: never, resolver: EffectResolver): readonly Effect[] | Promise<readonly Effect[]>;
}

function dryRunTool({ name, mode, requires, effects }: DryRunParts): Tool {
  return defineTool({
    name,
    mode,
    requires,
    description: "A dry run of one of the client's own tools.",
    inputSchema: { type: "object" },
    gated: true,
    ...(effects === undefined ? {} : { effects: (args, resolver) => effects(args as never, resolver) }),
    execute: () => DELEGATED,
  }) as Tool;
}
