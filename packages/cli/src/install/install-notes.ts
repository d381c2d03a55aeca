import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { isWithin } from "@toolkeep/core/internal";
import type { OwnCommand } from "../clients/hook-line.ts";
import { CLIENTS, type InstallClientName } from "../clients/install-client.ts";
import { valueAt } from "../clients/json-edit.ts";
import { confineNotes } from "./confine-notes.ts";

export interface NotedInstall {
  readonly client: InstallClientName;
  readonly own: OwnCommand;
  readonly project: string;
  readonly trustsScripts: boolean;
  readonly confines: boolean;
}

const CANNOT_ASK =
  "A plugin of opencode cannot ask: what needs approval is refused, and the refusal says which rule allows it.";

/** Warnings about how the program is started, and about settings of the client that affect hooks. */
export async function installNotes(install: NotedInstall): Promise<readonly string[]> {
  const { client, own, project } = install;
  return [
    ...commandNotes(own),
    ...trustNotes(install),
    ...(install.confines ? await confineNotes(client, project) : []),
    ...(client === "claude-code" ? await claudeNotes(project) : []),
    ...(client === "opencode" ? [CANNOT_ASK] : []),
  ];
}

/** A folder that holds more than one project is never trusted as a whole. A client without hooks runs no commands. */
export function canTrustScripts(client: InstallClientName, project: string): boolean {
  return CLIENTS[client].hooks !== undefined && !isWithin(homedir(), project);
}

function trustNotes({ client, project, trustsScripts }: NotedInstall): readonly string[] {
  if (trustsScripts)
    return [
      `This trusts the project's own scripts: the agent runs the tests, builds, linters, git hooks, scripts and programs of ${project} without asking, with your rights. Use --no-trust for a project that you do not trust. \`toolkeep uninstall ${client}\` takes the trust back.`,
    ];
  return canTrustScripts(client, project) || CLIENTS[client].hooks === undefined
    ? []
    : [`${project} contains your home folder, so its scripts are not trusted: tests and builds still ask.`];
}

function commandNotes(own: OwnCommand): readonly string[] {
  if (own[0] === "npx")
    return [
      "Warning: with --npx, the node_modules and the .npmrc of the project decide which program `npx` starts. Use it only in projects that you trust like your own code.",
    ];
  const isCached = own.some((arg) => /[/\\]_npx[/\\]/.test(arg));
  return isCached
    ? [
        "Warning: this program is in the cache of npx, which npm may clear. Then the hooks block and the servers do not start. Run `npm install -g toolkeep` to keep it.",
      ]
    : [];
}

async function claudeNotes(project: string): Promise<readonly string[]> {
  const files = [
    join(project, ".claude", "settings.json"),
    join(project, ".claude", "settings.local.json"),
    join(homedir(), ".claude", "settings.json"),
  ];
  const notes = await Promise.all(
    files.map(async (file) => settingsNotes(file, await readFile(file, "utf8").catch(() => ""))),
  );
  return notes.flat();
}

function settingsNotes(file: string, text: string): readonly string[] {
  const isOff = valueAt(text, ["disableAllHooks"]) === true;
  const env = valueAt(text, ["env"]);
  const names = typeof env === "object" && env !== null ? Object.keys(env) : [];
  return [
    ...(isOff ? [`Warning: \`disableAllHooks\` is set in ${file}, so no hook runs.`] : []),
    ...(names.length === 0
      ? []
      : [
          `Warning: ${file} sets ${names.join(", ")} for the hook too. Variables such as PATH, NODE_OPTIONS and TOOLKEEP_HOME change which program runs and which policy it reads.`,
        ]),
  ];
}
