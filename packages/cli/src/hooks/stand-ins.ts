import {
  defineTool,
  type Effect,
  effect,
  type Foresee,
  fsDelete,
  type RequirementSet,
  type Tool,
  type ToolMode,
} from "@toolkeep/core";
import {
  bashTool,
  editTool,
  globTool,
  grepTool,
  listTool,
  readTool,
  webFetchTool,
  writeTool,
} from "@toolkeep/tools";
import type { StandInName } from "./hook-call.ts";

/**
 * Tools with the effects of ours that do nothing: the client executes. Their requirements are wide, because a
 * client's own tools can reach everything; policy decides what they may. Every one of them is gated, so that
 * what no rule speaks of is asked, as it is of a server's tool.
 */
export function standIns(): readonly Tool[] {
  return [
    standIn({ ...bashTool(), requires: ANY_COMMAND }),
    standIn({ ...readTool(), requires: ANY_FILE }),
    standIn({ ...writeTool(), requires: ANY_FILE }),
    standIn({ ...editTool(), requires: ANY_FILE }),
    standIn({ ...globTool(), requires: ANY_FILE }),
    standIn({ ...grepTool(), requires: ANY_FILE }),
    standIn({ ...listTool(), requires: ANY_FILE }),
    standIn({ ...webFetchTool(), requires: { net: { hosts: ["*"] } } }),
    standIn({ name: "delete", mode: "destructive", requires: ANY_FILE, effects: deleting }),
    standIn({ name: "web_search", mode: "external", requires: SEARCH, effects: searching }),
    standIn({ name: "client_unknown", mode: "external", requires: "unknown" }),
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

interface StandInParts {
  readonly name: StandInName | (string & {});
  readonly mode: ToolMode;
  readonly requires: Tool["requires"];
  effects?(args: never, foresee: Foresee): readonly Effect[] | Promise<readonly Effect[]>;
}

function standIn({ name, mode, requires, effects }: StandInParts): Tool {
  return defineTool({
    name,
    mode,
    requires,
    description: "Stands in for a tool of the client's own.",
    inputSchema: { type: "object" },
    gated: true,
    ...(effects === undefined ? {} : { effects: (args, foresee) => effects(args as never, foresee) }),
    execute(_args, ctx) {
      // Whoever opened the session is handed what the call was granted, and looks what would have been left out.
      if (ctx.effects.some(({ partial }) => partial === true)) void ctx.io;
      return "Left to the client.";
    },
  }) as Tool;
}
