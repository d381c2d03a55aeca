import { readFile, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { unlessThrown } from "@toolkeep/core/internal";
import { settingsFiles } from "../../clients/claude-settings.ts";
import type { InstallClientName } from "../../clients/install-client.ts";
import { valueAt } from "../../clients/json-edit.ts";
import { type Finding, type Fixer, part } from "./finding.ts";
import { managedHooks } from "./managed-hooks.ts";

/** Settings of a client that switch its hooks off, or change the program that they start. Only names are reported. */
export async function checkSwitches(client: InstallClientName, project: string): Promise<readonly Finding[]> {
  if (client === "claude-code") return claudeSwitches(project);
  return client === "codex" ? codexTrust(project) : [];
}

async function claudeSwitches(project: string): Promise<readonly Finding[]> {
  const files = settingsFiles({ root: project, isTrusted: false });
  const all = files.map(async ({ file }) =>
    settingsFindings(file, await textOf(file), fixerOf(file, project)),
  );
  return (await Promise.all(all)).flat();
}

function fixerOf(file: string, project: string): Fixer {
  if (dirname(file) === join(project, ".claude"))
    return file.endsWith("settings.local.json") ? "you" : "project";
  return file.startsWith(process.env["CLAUDE_CONFIG_DIR"] ?? homedir()) ? "you" : "administrator";
}

/** They change which program a hook starts, or which policy it reads. */
const RISKY =
  /^(?:PATH|HOME|NODE_OPTIONS|NODE_PATH|LD_[A-Z_]+|DYLD_[A-Z_]+|BASH_ENV|ENV|IFS|TOOLKEEP_[A-Z_]+|XDG_[A-Z_]+)$/;

function settingsFindings(file: string, text: string, who: Fixer): readonly Finding[] {
  const { gap } = part("claude-code", who);
  const found: Finding[] = [];
  if (settingIn(text, "disableAllHooks") === true)
    found.push(
      gap(
        "hooks_off",
        `\`disableAllHooks\` is set in ${file}, so no hook runs.`,
        `Remove \`disableAllHooks\` from ${file}.`,
      ),
    );
  const isReplaced = settingIn(text, "allowManagedHooksOnly") === true && managedHooks().length === 0;
  if (who === "administrator" && isReplaced)
    found.push(
      gap(
        "managed_hooks_only",
        `\`allowManagedHooksOnly\` is set in ${file}, so your hooks do not run.`,
        `Add Toolkeep's hooks to ${file}, or remove the setting.`,
      ),
    );
  const env = settingIn(text, "env");
  const names = Object.keys(typeof env === "object" && env !== null ? env : {}).filter((name) =>
    RISKY.test(name),
  );
  if (names.length > 0)
    found.push(
      gap(
        "hook_environment",
        `${file} sets ${names.join(", ")} for the hook, which decides which program or policy it uses.`,
        `Remove ${names.join(", ")} from \`env\` in ${file}.`,
      ),
    );
  return found;
}

function settingIn(text: string, name: string): unknown {
  return unlessThrown(() => valueAt(text, [name]));
}

/** The hooks of Codex that decide, as it names them in its own record of trusted hooks. */
const DECIDING = ["pre_tool_use", "permission_request"];

/** Codex skips hooks that its user has not trusted, and says nothing. Whether the text it trusted is this one, only Codex knows. */
async function codexTrust(project: string): Promise<readonly Finding[]> {
  const { gap } = part("codex");
  const config = join(process.env["CODEX_HOME"] || join(homedir(), ".codex"), "config.toml");
  const text = await textOf(config);
  const file = join(project, ".codex", "hooks.json");
  if (isUntrusted(text, project))
    return [
      gap(
        "codex_project_untrusted",
        `${config} says that this project is untrusted, so Codex runs no hook of it.`,
        `Set \`trust_level = "trusted"\` for the project in ${config}.`,
      ),
    ];
  if (DECIDING.every((event) => text.includes(`${file}:${event}:`))) return [];
  return [
    gap(
      "codex_hooks_untrusted",
      "Codex has no record that you trust its hooks, and skips them without a word.",
      "Start `codex` in this project, type `/hooks`, and trust the hooks of .codex/hooks.json.",
    ),
  ];
}

function isUntrusted(text: string, project: string): boolean {
  const [, section = ""] = text.split(`[projects."${project}"]`);
  return /^\s*trust_level\s*=\s*["']untrusted["']/m.test(section.split(/^\[/m)[0] ?? "");
}

const MOST_BYTES = 4_000_000;

/** Empty if it cannot be read. */
async function textOf(file: string): Promise<string> {
  const found = await stat(file).catch(() => undefined);
  if (found?.isFile() !== true || found.size > MOST_BYTES) return "";
  return readFile(file, "utf8").catch(() => "");
}

/** Hooks of other projects that a running decider saw removed. */
export function removedElsewhere(
  removed: readonly { readonly client: InstallClientName; readonly project: string; readonly file: string }[],
  project: string,
): readonly Finding[] {
  return removed
    .filter((one) => one.project !== project)
    .map(({ client, project: other, file }) =>
      part(client).note(
        "hooks_removed_elsewhere",
        `The hooks in ${other} were removed or switched off in ${file}.`,
        `toolkeep doctor --project ${JSON.stringify(other)}`,
      ),
    );
}
