import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { join } from "node:path";
import { COMMANDS, projectState } from "../../packages/node/src/sandbox/contain/layer/open-layer.ts";

/** What a process is to do to a project, and where. */
export interface Work {
  readonly does: "commit" | "keep" | "undo";
  readonly project: string;
  /** Where the state of all projects is. */
  readonly contain: string;
}

/** A project and the layer of a command that ran in it. */
export interface Stage extends Work {
  readonly folder: string;
  readonly upper: string;
}

/** Projects with changes of every kind, made once and copied for each run. */
export interface Template {
  readonly folder: string;
  readonly line: string;
  readonly before: string;
  readonly after: string;
}

export type Random = () => number;

/** The same numbers for the same seed. */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const START = `git init -q --template= -b main .; mkdir -p dir/deep gone/inner other
for name in a b c d; do seq 1 40 > $name.txt; done
echo x > dir/deep/x; echo y > dir/y; echo 1 > gone/1; echo 2 > gone/inner/2; echo z > other/z
printf '#!/bin/sh\\n' > run.sh; ln -s a.txt link; git add -A; git commit -q -m one; echo loose > untracked.txt`;

/** What commands do to a project. Each template has some of them. */
const CHANGES = [
  "echo more >> a.txt",
  "sed -i s/1/one/ b.txt",
  "rm c.txt",
  "echo new > new.txt",
  "mkdir -p made/sub; echo 1 > made/1; echo 2 > made/sub/2; ln -s 1 made/l",
  "rm -r gone",
  "chmod 755 run.sh",
  "ln -sfn b.txt link",
  "ln -s dir/y second",
  "touch -d @1000000000 d.txt",
  "rm dir/y; mkdir dir/y; echo in > dir/y/in",
  "rm -r other; echo file > other",
  "chmod 700 dir",
  "echo deep >> dir/deep/x",
  "rm untracked.txt",
  "git add -A; git commit -q -m two",
  "git branch side",
];

const PEOPLE = Object.fromEntries(
  ["AUTHOR", "COMMITTER"].flatMap((role) => [
    [`GIT_${role}_NAME`, "a"],
    [`GIT_${role}_EMAIL`, "a@a.test"],
    [`GIT_${role}_DATE`, "1700000000 +0000"],
  ]),
);
const ENVIRONMENT = { PATH: "/usr/sbin:/usr/bin:/bin", HOME: "/nonexistent", ...PEOPLE };

/** Runs a line as the user would. @throws with what it printed if it failed. */
export function sh(line: string, cwd: string): string {
  const { status, stdout, stderr } = spawnSync("/bin/sh", ["-ec", line], {
    ...{ cwd, env: ENVIRONMENT, encoding: "utf8" },
  });
  if (status !== 0) throw new Error(`${line}: ${stderr}`);
  return stdout;
}

export function makeTemplate(folder: string, random: Random, count?: number): Template {
  const chosen = CHANGES.filter(() => count === undefined || random() < count / CHANGES.length);
  return templateOf(folder, chosen.length === 0 ? "echo more >> a.txt" : chosen.join("; "));
}

/** With what a line changes. */
export function templateOf(folder: string, line: string): Template {
  const [project, after, upper] = ["project", "after", "upper"].map((name) => join(folder, name));
  mkdirSync(project as string, { recursive: true });
  sh(START, project as string);
  sh("cp -a project after; mkdir upper", folder);
  sh(line, after as string);
  layOver({ before: project as string, after: after as string, upper: upper as string });
  return { folder, line, before: treeOf(project as string), after: treeOf(after as string) };
}

interface Layers {
  readonly before: string;
  readonly after: string;
  readonly upper: string;
}

/** What an overlay has above one tree when it shows the other: marks of what is gone, and copies of the rest. */
function layOver({ before, after, upper }: Layers): void {
  const names = (folder: string) => readdirSync(folder);
  for (const name of names(before))
    if (!names(after).includes(name)) sh(`mknod ${JSON.stringify(join(upper, name))} c 0 0`, "/");
  for (const name of names(after)) {
    const [from, to] = [join(before, name), join(after, name)];
    const copy = () => sh(`cp -a ${JSON.stringify(to)} ${JSON.stringify(upper)}`, "/");
    const [old, now] = [lstatSync(from, { throwIfNoEntry: false }), lstatSync(to)];
    if (old?.isDirectory() === true && now.isDirectory()) {
      if (treeOf(from) === treeOf(to) && old.mode === now.mode) continue;
      mkdirSync(join(upper, name));
      sh(`chmod ${(now.mode & 0o7777).toString(8)} ${JSON.stringify(join(upper, name))}`, "/");
      layOver({ before: from, after: to, upper: join(upper, name) });
    } else if (old === undefined || entryOf(from) !== entryOf(to) || old.mtimeMs !== now.mtimeMs) copy();
  }
}

/** A copy of a template to work in. */
export function openStage(template: Template, folder: string, does: Work["does"]): Stage {
  const [project, contain] = [join(folder, "project"), join(folder, "contain")];
  const command = join(projectState(contain, project).folder, COMMANDS, "1");
  mkdirSync(command, { recursive: true, mode: 0o700 });
  const at = JSON.stringify(template.folder);
  sh(`cp -a ${at}/project ${JSON.stringify(project)}; cp -a ${at}/upper ${JSON.stringify(command)}`, "/");
  return { does, project, contain, folder: command, upper: join(command, "upper") };
}

/** Everything of a tree that a user would miss: names, rights, targets of links, content. */
export function treeOf(folder: string): string {
  const found = [`. ${lstatSync(folder).mode.toString(8)}`];
  const walk = (path: string) => {
    for (const name of readdirSync(join(folder, path)).toSorted()) {
      const at = join(path, name);
      found.push(`${at} ${entryOf(join(folder, at))}`);
      if (lstatSync(join(folder, at)).isDirectory()) walk(at);
    }
  };
  walk("");
  return found.join("\n");
}

function entryOf(path: string): string {
  const stats = lstatSync(path);
  if (stats.isSymbolicLink()) return `-> ${readlinkSync(path)}`;
  const mode = stats.mode.toString(8);
  return stats.isFile() ? `${mode} ${createHash("sha1").update(readFileSync(path)).digest("hex")}` : mode;
}

export function removeStage(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}
