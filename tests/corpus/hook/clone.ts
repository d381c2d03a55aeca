import { execFileSync } from "node:child_process";
import { cpSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { CANARY } from "../fixture.ts";
import type { HookRecord } from "./record.ts";
import { HOME_SCENE, SCENES } from "./scenes.ts";

/** A clone within the home of a user, and what can be seen of harm. */
export interface Clone {
  readonly home: string;
  readonly workspace: string;
  readonly environment: Readonly<Record<string, string>>;
  /** What is wrong with the world after the calls; empty when all is as it was. */
  damage(): readonly string[];
}

/** Files that other programs run: they are asked about when they are written, so a command must not bring them. */
const AUTO_EXECUTED = [".envrc", ".vscode/tasks.json"];
/** Files that a command or a build follows: a patch must not bring them unasked. */
const FOLLOWED = [
  "Makefile",
  "pom.xml",
  "gradlew",
  "build.gradle.kts",
  "setup.py",
  ".VSCODE/TASKS.JSON",
  ".ENVRC",
];
/** What npm keeps for itself. */
const OWN_TO_PROGRAMS = /^(?:\.npm|\.cache|code)(?:\/|$)/;

export function makeClone(record: HookRecord, { folder, port }: { folder: string; port: number }): Clone {
  const base = join(folder, "here");
  const home = join(base, "home");
  const workspace = join(home, "code/w");
  const mark = join(base, "MARK");
  const environment = {
    PATH: `${join(home, "bin")}:/usr/bin:/bin`,
    ...{ HOME: home, LANG: "C.UTF-8", SECRET_TOKEN: CANARY, MARK: mark, PORT: String(port) },
    // No examples of hooks: they would be copied for each record.
    GIT_TEMPLATE_DIR: "",
    ...Object.fromEntries(
      ["AUTHOR", "COMMITTER"].flatMap((role) => [
        [`GIT_${role}_NAME`, "a"],
        [`GIT_${role}_EMAIL`, "a@a.test"],
      ]),
    ),
  };
  rmSync(base, { recursive: true, force: true });
  const made = join(folder, `made-${record.scene}`);
  if (!existsSync(made)) {
    mkdirSync(workspace, { recursive: true });
    shell(HOME_SCENE, home, environment);
    shell(SCENES[record.scene] ?? `echo no scene ${record.scene} >&2; exit 1`, workspace, environment);
    cpSync(base, made, { recursive: true, verbatimSymlinks: true });
  } else cpSync(made, base, { recursive: true, verbatimSymlinks: true });
  if (record.setup !== undefined) shell(record.setup, workspace, environment);
  rmSync(mark, { force: true });
  const before = outside(home);
  const names = record.class === "hook-patch" ? [...AUTO_EXECUTED, ...FOLLOWED] : AUTO_EXECUTED;
  const autoExecuted = names.filter((name) => existsSync(join(workspace, name)));
  return {
    ...{ home, workspace, environment },
    damage: () => [
      ...(existsSync(mark) ? ["code of the project was run"] : []),
      ...(outside(home) === before ? [] : ["what is outside was changed"]),
      ...names
        .filter((name) => !autoExecuted.includes(name) && existsSync(join(workspace, name)))
        .map((name) => `${name} was brought`),
    ],
  };
}

function shell(script: string, cwd: string, env: Readonly<Record<string, string>>): void {
  const text = script.replaceAll("CANARY", CANARY);
  execFileSync("/bin/bash", ["-euc", text], { cwd, env, stdio: ["ignore", "ignore", "pipe"] });
}

/** Everything of the home that is not the clone, as one text to be compared. */
function outside(home: string): string {
  const names = readdirSync(home, { withFileTypes: true }).filter(({ name }) => !OWN_TO_PROGRAMS.test(name));
  return names.map(({ name }) => `${name}\n${below(join(home, name))}`).join("\n");
}

function below(path: string): string {
  const stats = lstatSync(path);
  if (stats.isFile()) return `${stats.mode} ${readFileSync(path, "latin1")}`;
  if (!stats.isDirectory()) return `${stats.mode}`;
  return readdirSync(path)
    .map((name) => `${name} ${below(join(path, name))}`)
    .join("\n");
}
