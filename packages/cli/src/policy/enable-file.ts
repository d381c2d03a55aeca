import { chmod, lstat, mkdir, readFile, realpath, stat } from "node:fs/promises";
import { basename, dirname, join, relative, resolve } from "node:path";
import { ToolkeepError } from "@toolkeep/core";
import { isWithin, joinCommand, visible } from "@toolkeep/core/internal";
import { createProjectTrust } from "@toolkeep/node";
import { directories, oneOf, projectCandidates, writeOwnedFile } from "@toolkeep/node/internal";
import { makeEdit, parseClientFile, valueAt } from "../clients/json-edit.ts";
import { diffLines } from "../install/diff-lines.ts";
import { readText } from "../project/policy-files.ts";
import { projectFolder } from "../project/project-folder.ts";
import { ignoredModes, type PolicySource, readPolicies } from "../project/read-policies.ts";
import { policySources, readProject } from "../project/read-project.ts";
import { acceptProject, changedMeanwhile, trustQuestion } from "../project/trust-now.ts";
import { CommandError, EXIT, usageError } from "../terminal/command-error.ts";
import { counted } from "../terminal/counted.ts";
import { confirmed, type Terminal } from "../terminal/terminal.ts";
import { testedFile } from "./test-files.ts";

export interface EnableOptions {
  /** The policy file. Without it, the configuration names none from then on. */
  readonly file?: string;
  /** Whether it becomes the policy of the user, in all projects. */
  readonly user?: boolean;
  readonly project?: string;
  readonly yes?: boolean;
}

/** The configuration file that names the policy, and whose it is. */
interface Target {
  readonly layer: "user" | "project";
  readonly root: string;
  readonly config: string;
  /** Whether the project was named: it may not be the one of the current directory. */
  readonly isElsewhere: boolean;
}

/** What a policy file has, and what of it does not apply. */
interface Checked {
  readonly path: string;
  readonly text: string;
  readonly rules: number;
  readonly tests: number;
  readonly ignored: readonly string[];
}

/**
 * Makes a policy file the one of a project, or of the user: checks it and its tests, names it in the configuration, and
 * trusts the project, after showing both. Without a file, takes the name away.
 * @throws CommandError for a file that is invalid or fails its tests: nothing is changed then.
 */
export async function enableFile(options: EnableOptions, terminal: Terminal): Promise<number> {
  const { file, yes } = options;
  const target = await targetOf(options, terminal.cwd);
  const checked = file === undefined ? undefined : await checkedPolicy(file, target, terminal.cwd);
  const value = checked === undefined ? undefined : writtenPath(checked.path, target);
  const { before, after } = await edited(target.config, value);
  const question =
    target.layer === "user" ? undefined : await trustQuestion(target.root, ownNames(target, checked));
  if (before === after && question === undefined) return report(target, checked, false, terminal);
  if (before !== after)
    terminal.note(
      diffLines({ path: target.config, before, after })
        .map((line) => visible(line))
        .join("\n"),
    );
  if (target.layer === "project" && before !== after && question === undefined)
    terminal.note("The configuration and the policy are trusted as they are then.");
  if (question !== undefined) terminal.note(question.note);
  for (const one of checked?.ignored ?? []) terminal.note(one);
  const asked =
    checked === undefined
      ? "Take the policy out of the configuration?"
      : `Let ${visible(checked.path)} decide?`;
  await confirmed({ question: asked, yes, refused: "Nothing was changed." }, terminal);
  if (before !== after) await write(target.config, value, before);
  if (target.layer === "project") {
    await acceptProject(target.root, ownNames(target, checked), question);
    if (checked !== undefined) await assertTested(target.root, checked);
  }
  return report(target, checked, true, terminal);
}

function writtenPath(path: string, { layer, config }: Target): string {
  return layer === "user" ? path : relative(dirname(config), path);
}

/** What is trusted because of this command. */
function ownNames({ root, config }: Target, checked: Checked | undefined): readonly string[] {
  return [config, ...(checked === undefined ? [] : [checked.path])].map((path) => relative(root, path));
}

async function targetOf({ user, project }: EnableOptions, cwd: string): Promise<Target> {
  if (user === true) {
    const own = process.env["TOOLKEEP_CONFIG"] ?? "";
    const folder = directories().config;
    const names = own === "" ? ["config.jsonc", "config.json"].map((name) => join(folder, name)) : [own];
    return { layer: "user", root: folder, config: await onlyOne(names), isElsewhere: false };
  }
  const root = await projectFolder({ project, cwd });
  const [names = []] = projectCandidates(root, root);
  const config = await onlyOne(names.map(({ file }) => file));
  await assertOwnFile(config, root);
  return { layer: "project", root, config, isElsewhere: project !== undefined };
}

/** @throws CommandError for a file that a link of the repository puts somewhere else. */
async function assertOwnFile(config: string, root: string): Promise<void> {
  const isLink = (await lstat(config).catch(() => undefined))?.isSymbolicLink() === true;
  const folder = await realpath(dirname(config)).catch(() => dirname(config));
  if (!isLink && isWithin(folder, root)) return;
  throw new CommandError(`${config} is a link, or is in a folder that is one, so it was not written.`, {
    hint: "Replace the link by a file of the project.",
  });
}

/** The one of several files that exists, or the first. @throws CommandError if several exist. */
async function onlyOne(files: readonly string[]): Promise<string> {
  const found = await oneOf(files.map((file) => ({ layer: "user", file })));
  if (found.rivals.length === 0) return found.files[0]?.file ?? files[0] ?? "";
  throw new CommandError(`Only one of these files can apply: ${found.rivals.flat().join(", ")}.`, {
    hint: "Remove all but one of them.",
  });
}

/** @throws CommandError for a file that cannot decide. */
async function checkedPolicy(file: string, { layer, root }: Target, cwd: string): Promise<Checked> {
  const typed = resolve(cwd, file);
  const path = join(await realpath(dirname(typed)).catch(() => dirname(typed)), basename(typed));
  const text = readText({ name: file, path });
  const real = await realpath(path);
  if (layer === "project" && !(isWithin(path, root) && isWithin(real, root)))
    throw usageError(
      `${file} is outside of ${root}, so it cannot be the policy of this project.`,
      `Run \`${joinCommand(["toolkeep", "policy", "enable", "--user", file])}\` to make it your own policy.`,
    );
  const source: PolicySource = { path, layer, ...(layer === "project" ? { text } : {}) };
  try {
    await readPolicies([source]);
  } catch (error) {
    if (!(error instanceof CommandError) && !ToolkeepError.isInstance(error)) throw error;
    throw new CommandError(`${file} is not enabled, because it would block every call: ${error.message}`, {
      hint: `Fix it, then run \`${joinCommand(["toolkeep", "policy", "enable", file])}\` again.`,
    });
  }
  const { report, rules } = await testedFile({ name: file, path }, cwd);
  if (!report.isPassed)
    throw new CommandError(`${file} is not enabled, because its tests fail.\n${report.text}`, {
      hint: `Fix the rules or the tests, then run \`${joinCommand(["toolkeep", "policy", "test", file])}\`.`,
    });
  return { path, text, rules, tests: report.results.length, ignored: await ignoredModes([source]) };
}

/** @throws CommandError if another text was trusted than the one that was tested and shown. */
async function assertTested(root: string, { path, text }: Checked): Promise<void> {
  const { config } = await readProject({ cwd: root });
  const applied = policySources(config, { cwd: root }).find(
    (one) => one.path === path && one.narrows === undefined,
  );
  if (applied === undefined || applied.text === text) return;
  await createProjectTrust().revoke(root);
  throw changedMeanwhile(root);
}

/** The configuration with and without the name. Comments and other keys stay. @throws CommandError */
async function edited(config: string, value: string | undefined) {
  const before = await readFile(config, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "";
    throw new CommandError(`${config} cannot be read (${error.code ?? "unknown"}).`, {
      hint: "Check the file.",
    });
  });
  parseClientFile(before, config);
  const now = valueAt(before, ["policy"]);
  const isSame =
    value === undefined
      ? now === undefined
      : typeof now === "string" && resolve(dirname(config), now) === resolve(dirname(config), value);
  return { before, after: isSame ? before : makeEdit(before, { kind: "set", path: ["policy"], value }).text };
}

/** @throws CommandError if the file is not the one that the user has seen. */
async function write(config: string, value: string | undefined, seen: string): Promise<void> {
  await mkdir(dirname(config), { recursive: true });
  const file = await realpath(config).catch(() => config);
  const { before, after } = await edited(config, value);
  if (before !== seen)
    throw new CommandError(`${config} has changed meanwhile, so it was not written.`, {
      hint: "Run the command again.",
    });
  const mode = (await stat(file).catch(() => undefined))?.mode ?? 0o644;
  await writeOwnedFile(file, after);
  await chmod(file, mode & 0o777);
}

/** Reads everything again, as a hook would: what is reported is what applies. */
async function report(
  target: Target,
  checked: Checked | undefined,
  isChanged: boolean,
  terminal: Terminal,
): Promise<number> {
  const { layer, root, config, isElsewhere } = target;
  const folder = layer === "user" ? terminal.cwd : root;
  const { config: applied, notes } = await readProject({ cwd: folder });
  const applies =
    checked !== undefined &&
    policySources(applied, { cwd: folder }).some(
      (one) => one.path === checked.path && one.narrows === undefined,
    );
  const scope = layer === "user" ? ["--user"] : isElsewhere ? ["--project", root] : [];
  const undo = joinCommand(["toolkeep", "policy", "disable", ...scope]);
  for (const note of notes) terminal.note(note);
  const of = layer === "user" ? "all of your projects" : root;
  if (checked !== undefined && !applies)
    throw new CommandError(`${checked.path} does not decide in ${of}.`, { hint: "Run `toolkeep doctor`." });
  const lines =
    checked === undefined
      ? [isChanged ? `${config} names no policy now.` : `${config} names no policy.`]
      : [
          `${checked.path} ${isChanged ? "decides now" : "is enabled already, and decides"} in ${of}: ${counted(checked.rules, "rule")}, ${counted(checked.tests, "test")} passed.`,
          ...(isChanged
            ? [
                `To undo it, run \`${undo}\`.${layer === "user" ? "" : " After each change of the file, run `toolkeep trust`."}`,
              ]
            : []),
        ];
  const { path, rules, tests, ignored } = checked ?? {};
  terminal.show(
    {
      layer,
      config,
      isChanged,
      ...(checked === undefined ? {} : { file: path, rules, tests, ignored, undo }),
    },
    lines.map((line) => visible(line)),
  );
  return EXIT.ok;
}
