import { spawnSync } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";

interface Step {
  readonly run?: string;
  readonly uses?: string;
}

interface Job {
  readonly permissions?: Permissions;
  readonly steps?: readonly Step[];
  readonly needs?: string | readonly string[];
  readonly "timeout-minutes"?: number;
}

type Permissions = Readonly<Record<string, string>> | string;

interface Workflow {
  readonly permissions?: Permissions;
  readonly jobs?: Readonly<Record<string, Job>>;
  /** Of an action. */
  readonly runs?: { readonly using?: string; readonly steps?: readonly Step[] };
}

/** What a job of a forge may be given beyond reading: publishing a release, and its identity for npm. */
const GIVEN = new Set(["contents: read", "contents: write", "id-token: write"]);
/** A commit, or a version. */
const PINNED = /@(?:[0-9a-f]{40}|v\d+(?:\.\d+){0,2})$/;

/** What is wrong with the workflows and actions below a folder, as far as it shows without the forge. */
export function workflowErrors(root: string): readonly string[] {
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    readonly scripts: Readonly<Record<string, string>>;
  };
  const files = globSync([".github/workflows/*.{yml,yaml}", "integrations/*/action.yml"], {
    cwd: root,
  }).sort();
  return files.flatMap((file) => {
    const text = readFileSync(join(root, file), "utf8");
    return errorsIn(text, { root, scripts: Object.keys(scripts) }).map((error) => `${file}: ${error}`);
  });
}

interface Repository {
  readonly root: string;
  /** The names of the scripts in `package.json`. */
  readonly scripts: readonly string[];
}

/** What is wrong with the text of a workflow or an action. */
export function errorsIn(text: string, repository: Repository): readonly string[] {
  const { permissions, jobs = {}, runs } = parse(text) as Workflow;
  const all = Object.entries(jobs);
  if (all.length === 0 && runs?.steps === undefined) return ["has neither jobs nor steps"];
  return [
    ...(runs === undefined && permissions === undefined ? ["has no permissions at its top"] : []),
    ...permissionErrors(permissions),
    ...all.flatMap(([name, job]) => jobErrors(job, Object.keys(jobs)).map((error) => `${name}: ${error}`)),
    ...[...all.flatMap(([, { steps = [] }]) => steps), ...(runs?.steps ?? [])].flatMap((step) =>
      stepErrors(step, repository),
    ),
  ];
}

function permissionErrors(permissions: Permissions = {}): readonly string[] {
  if (typeof permissions === "string") return [`permissions: ${permissions} is more than it needs`];
  return Object.entries(permissions)
    .map(([name, level]) => `${name}: ${level}`)
    .filter((one) => !GIVEN.has(one))
    .map((one) => `permissions: ${one} is more than it needs`);
}

function jobErrors({ permissions, needs = [], ...job }: Job, jobs: readonly string[]): readonly string[] {
  const unknown = [needs].flat().filter((name) => !jobs.includes(name));
  return [
    ...permissionErrors(permissions),
    ...unknown.map((name) => `needs ${name}, which does not exist`),
    ...(job["timeout-minutes"] === undefined ? ["has no timeout-minutes"] : []),
    ...((job.steps ?? []).length === 0 ? ["has no steps"] : []),
  ];
}

function stepErrors({ run, uses }: Step, { root, scripts }: Repository): readonly string[] {
  if (uses !== undefined) {
    if (uses.startsWith("./"))
      return existsSync(join(root, uses, "action.yml")) ? [] : [`${uses} has no action.yml`];
    return PINNED.test(uses) ? [] : [`${uses} is not pinned to a version`];
  }
  if (run === undefined) return ["a step neither runs nor uses anything"];
  const named = Array.from(run.matchAll(/\bnpm run (?:-\S+ )*([\w:-]+)/g), ([, name = ""]) => name);
  const files = Array.from(
    run.matchAll(/\bnode (?:"?\$GITHUB_ACTION_PATH\/)?([\w./-]+)/g),
    ([, file = ""]) => file,
  );
  const { status, stderr } = spawnSync("bash", ["-n"], { input: run, encoding: "utf8" });
  return [
    ...named.filter((name) => !scripts.includes(name)).map((name) => `npm run ${name} does not exist`),
    ...files
      .filter(
        (file) =>
          !file.includes("dist/") && globSync([file, `integrations/*/${file}`], { cwd: root }).length === 0,
      )
      .map((file) => `${file} does not exist`),
    ...(run.includes("${{") ? ["a value of the forge is put into a script: give it in env"] : []),
    ...(status === 0 ? [] : [`a script is not bash: ${stderr.trim()}`]),
  ];
}
