import { readFile, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname } from "node:path";
import { ToolkeepError } from "@toolkeep/core";
import { isWithin } from "@toolkeep/core/internal";
import { directories, ownershipError } from "@toolkeep/node/internal";
import { minutesUntil } from "../../project/pause/duration.ts";
import { activePause } from "../../project/pause/pauses.ts";
import { type Project, readProject } from "../../project/read-project.ts";
import { trustText } from "../../project/trust-state.ts";
import { CommandError } from "../../terminal/command-error.ts";
import { type Checked, type Finding, part } from "./finding.ts";

const ABOUT = "policy";

/** The configuration, the policy, the trust in the project and a pause. */
export async function checkPolicies(folder: string): Promise<Checked & { readonly project?: Project }> {
  let project: Project;
  try {
    project = await readProject({ cwd: folder, folder });
  } catch (error) {
    if (!(error instanceof CommandError) && !ToolkeepError.isInstance(error)) throw error;
    const hint = error instanceof CommandError ? error.hint : undefined;
    const message = `No call can be decided, so every call is blocked: ${error.message}`;
    const { is, gap } = part(ABOUT);
    return is("invalid", gap("policy_invalid", message, hint ?? "Fix the file that the message names."));
  }
  const { policy, isManaged, trust } = project;
  const mode = policy.mode ?? "ask";
  const rules = `${policy.rules?.length ?? 0} rules`;
  const by = isManaged ? ", set by an administrator" : "";
  return {
    project,
    facts: [
      { about: ABOUT, text: `mode ${mode}, ${rules}${by}` },
      { about: "trust", text: trustText(trust) },
    ],
    findings: [
      ...modeFindings(project, mode),
      ...(await fileFindings(project)),
      ...ignoredThings(project),
      ...ignoredFindings(project),
      ...(await pauseFindings(project)),
    ],
  };
}

function modeFindings({ isManaged, policyFile }: Project, mode: string): readonly Finding[] {
  if (mode !== "observe" && mode !== "yolo") return [];
  const said = mode === "observe" ? "records what it would stop, and stops nothing" : "never asks";
  const fix = `Remove \`mode\` from your configuration or from ${policyFile}.`;
  const { gap } = part(ABOUT, isManaged ? "administrator" : "you");
  return [gap(`mode_${mode}`, `The mode ${mode} ${said}.`, fix)];
}

/** The files of the user and the administrator. Those of a project were checked when it was trusted. */
async function fileFindings({ config, policyFile }: Project): Promise<readonly Finding[]> {
  const named = config.policy.filter(({ layer }) => layer === "user" || layer === "managed");
  const isNamed = named.some(({ path }) => path === policyFile);
  const files = [...(isNamed ? [] : [{ path: policyFile, layer: "user" as const }]), ...named];
  const all = files.map(async ({ path, layer }) => {
    const text = await readFile(path, "utf8").catch(() => undefined);
    if (text === undefined) return [];
    const who = layer === "managed" ? "administrator" : "you";
    return [...(await ownerFindings(path, who)), ...(await ruleFindings({ path, text, who }))];
  });
  return (await Promise.all(all)).flat();
}

async function ownerFindings(path: string, who: Finding["who"]): Promise<readonly Finding[]> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined || ownershipError(found) === undefined) return [];
  const fix = `Make it yours alone: \`chmod go-w ${path}\`.`;
  return [part(ABOUT, who).gap("policy_writable", `Other users may change ${path}.`, fix)];
}

/** Rules that never apply. A deny that never matches denies nothing. */
const DEAD: ReadonlySet<string> = new Set(["shadowed_rule", "unknown_permission", "unused_allow_list"]);

interface PolicyText {
  readonly path: string;
  readonly text: string;
  readonly who: Finding["who"];
}

async function ruleFindings({ path, text, who }: PolicyText): Promise<readonly Finding[]> {
  const { checkPolicy } = await import("@toolkeep/policy");
  const { warnings } = checkPolicy(text, { file: path, scope: "manifest", home: homedir() });
  return warnings
    .filter(({ code }) => DEAD.has(code))
    .map(({ code, message, hint, line }) => {
      const say = part(ABOUT, who)[code === "unknown_permission" ? "gap" : "note"];
      const fix = `${hint ?? "Remove the rule."} (line ${line})`;
      return say("dead_rule", `${path}, line ${line}: ${message}`, fix);
    });
}

function ignoredThings({ trust: { ignored, configuration } }: Project): readonly Finding[] {
  if (ignored === undefined) return [];
  const { message, command: fix } = ignored;
  const code = configuration === "changed" ? "project_changed" : "project_ignored";
  return [part("trust").note(code, message, fix)];
}

/** Settings and entries of programs that do not apply. */
function ignoredFindings({ warnings = [], root }: Project): readonly Finding[] {
  const machine = dirname(directories().managedConfig);
  return warnings.map(({ file, line, message, hint = `Fix ${file}.` }) => {
    const who = isWithin(file, root) ? "project" : isWithin(file, machine) ? "administrator" : "you";
    const where = `${file}, line ${line}`;
    return part("config", who).note("config_ignored", `${where}: ${message}`, hint);
  });
}

async function pauseFindings(project: Project): Promise<readonly Finding[]> {
  const pause = await activePause(project);
  if (pause === undefined) return [];
  const message = `Paused for another ${minutesUntil(pause.until)}: nothing asks, what is denied stays denied.`;
  return [part(ABOUT).note("paused", message, "toolkeep pause --end")];
}
