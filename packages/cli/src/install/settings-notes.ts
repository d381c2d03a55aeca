import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import type { InstallClientName } from "./install-client.ts";
import { valueAt } from "./json-edit.ts";

/** What a client's other settings do to hooks: nothing here changes them, so somebody has to know. */
export async function settingsNotes(client: InstallClientName, project: string): Promise<readonly string[]> {
  if (client !== "claude-code") return [];
  const files = [
    join(project, ".claude", "settings.json"),
    join(project, ".claude", "settings.local.json"),
    join(homedir(), ".claude", "settings.json"),
  ];
  const notes = await Promise.all(files.map(async (file) => notesOf(file, await textOf(file))));
  return notes.flat();
}

function notesOf(file: string, text: string): readonly string[] {
  const isOff = valueAt(text, ["disableAllHooks"]) === true;
  const env = valueAt(text, ["env"]);
  const names = typeof env === "object" && env !== null ? Object.keys(env) : [];
  return [
    ...(isOff ? [`Beware: \`disableAllHooks\` is on in ${file}, so no hook is asked.`] : []),
    ...(names.length === 0
      ? []
      : [
          `Beware: ${file} sets ${names.join(", ")} for the hook as well. Variables like PATH, NODE_OPTIONS and TOOLKEEP_HOME change what it runs and which rules it knows.`,
        ]),
  ];
}

async function textOf(file: string): Promise<string> {
  return readFile(file, "utf8").catch(() => "");
}
