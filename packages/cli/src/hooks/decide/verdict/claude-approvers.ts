import { readFileSync } from "node:fs";
import { type ClaudeProject, settingsFiles } from "../../../clients/claude-settings.ts";
import { isFields } from "../../../clients/payload.ts";

/**
 * Whether a program other than this one answers the questions of Claude Code by a hook of its own. Its `allow` counts
 * as the answer of the user. A file that cannot be read may name one.
 */
export function hasOtherApprover(project: ClaudeProject): boolean {
  return settingsFiles(project).some(({ file }) => {
    try {
      const settings: unknown = JSON.parse(readFileSync(file, "utf8"));
      return isFields(settings) && commandsIn(settings["hooks"]).some((command) => !OWN.test(command));
    } catch (error) {
      return (error as NodeJS.ErrnoException).code !== "ENOENT";
    }
  });
}

const OWN = /\bhook claude-code(?: \|\| exit 2)?$/;

/** The commands of the event; an empty text for a hook of another kind. */
function commandsIn(hooks: unknown): readonly string[] {
  const groups = isFields(hooks) ? hooks["PermissionRequest"] : undefined;
  if (!Array.isArray(groups)) return [];
  return groups
    .filter(isFields)
    .flatMap(({ hooks: list }) =>
      (Array.isArray(list) ? list : []).map((hook: unknown) =>
        isFields(hook) && typeof hook["command"] === "string" ? hook["command"] : "",
      ),
    );
}
