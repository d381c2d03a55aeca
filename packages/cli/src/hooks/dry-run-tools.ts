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
import type { DryRunName } from "./hook-call.ts";

/**
 * Tools with the effects of ours that do nothing: the client executes. Their requirements are wide, because a
 * client's own tools can reach everything; policy decides what they may. Every one of them is gated, so that
 * what no rule speaks of is asked, as it is of a server's tool.
 */
export function dryRunTools(): readonly Tool[] {
  return [
    dryRunTool({ ...bashTool(), requires: ANY_COMMAND }),
    dryRunTool({ ...readTool(), requires: ANY_FILE }),
    dryRunTool({ ...writeTool(), requires: ANY_FILE }),
    dryRunTool({ ...editTool(), requires: ANY_FILE }),
    dryRunTool({ ...globTool(), requires: ANY_FILE }),
    dryRunTool({ ...grepTool(), requires: ANY_FILE }),
    dryRunTool({ ...listTool(), requires: ANY_FILE }),
    dryRunTool({ ...webFetchTool(), requires: { net: { hosts: ["*"] } } }),
    dryRunTool({ name: "delete", mode: "destructive", requires: ANY_FILE, effects: deleting }),
    dryRunTool({ name: "web_search", mode: "external", requires: SEARCH, effects: searching }),
    dryRunTool({ name: "client_unknown", mode: "external", requires: "unknown" }),
  ];
}

const ANY_FILE: RequirementSet = { fs: { read: ["/**"], write: ["/**"] } };
const ANY_COMMAND: RequirementSet = {
  ...ANY_FILE,
  capabilities: ["shell.run", "shell.dynamic", "git.push", "git.commit", "git.read", "package.publish"],
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
    description: "Stands in for a tool of the client's own.",
    inputSchema: { type: "object" },
    gated: true,
    ...(effects === undefined ? {} : { effects: (args, resolver) => effects(args as never, resolver) }),
    execute(_args, ctx) {
      // Whoever opened the session is handed what the call was granted, and looks what would have been left out.
      if (ctx.effects.some(({ partial }) => partial === true)) void ctx.io;
      return "Left to the client.";
    },
  }) as Tool;
}
