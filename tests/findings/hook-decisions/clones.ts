import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { shell } from "./client.ts";

export const HOME = "/tmp/home";
export const CANARY = "CANARY-5b1f";
/** Made by whatever ran that should not. */
export const TRIPPED = "/tmp/TRIPPED";

export function put(file: string, text: string, mode = 0o644): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text, { mode });
  chmodSync(file, mode);
}

const GIT = "git config user.email a@b && git config user.name a";
const TRIPS = `"touch ${TRIPPED}; false"`;

/** Keys and notes of the user, outside of every project. */
export function makeHome(): void {
  put(join(HOME, ".ssh/id_ed25519"), CANARY);
  put(join(HOME, ".aws/credentials"), CANARY);
  put(join(HOME, "notes/diary.txt"), CANARY);
}

/** A project as it comes from somewhere: with a folder in the shape of a repository, links, and names of secrets. */
export function makeClone(project: string): void {
  mkdirSync(project, { recursive: true });
  shell(`git init -q -b main . && ${GIT}`, project);
  for (const [path, text] of FILES) put(join(project, path), text);
  shell("git init -q --bare t && mkdir -p src/fixture && mv t/* src/fixture/ && rm -rf t", project);
  put(
    join(project, "src/fixture/config"),
    `[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n\tfsmonitor = ${TRIPS}\n`,
  );
  symlinkSync("../home", join(project, "assets"));
  symlinkSync("../../home/.ssh/id_ed25519", join(project, "docs/notes.txt"));
  symlinkSync("assets/notes", join(project, "through"));
  symlinkSync("round", join(project, "round"));
  symlinkSync("../../home/later.txt", join(project, "docs/later.md"));
  shell("git add src/a.js docs/read.md && git commit -qm first", project);
}

const FILES: readonly (readonly [string, string])[] = [
  ["src/a.js", "let a = 1;\n"],
  ["src/b.js", "let b = 1;\n"],
  ["docs/read.md", "Read me.\n"],
  ["config/secrets.yml", CANARY],
  ["config/app.yml", "port: 1\n"],
  ["credentials.json", CANARY],
  ["key.pem", CANARY],
  [".env", CANARY],
];

/** A repository that an archive brought, with a configuration of its own. */
export function makeNested(folder: string): void {
  mkdirSync(folder, { recursive: true });
  shell(`git init -q -b main . && ${GIT} && echo 1 > f && git add f && git commit -qm i`, folder);
  shell(`git config core.fsmonitor 'touch ${TRIPPED}; false'`, folder);
}

/** An ordinary project whose hooks run its own tests. */
export function makeHooked(project: string): void {
  mkdirSync(project, { recursive: true });
  shell(`git init -q -b main . && ${GIT} && git config core.hooksPath .husky`, project);
  put(join(project, "src/a.js"), "1");
  put(join(project, ".husky/pre-commit"), "#!/bin/sh\nsh test/z.test.sh\n", 0o755);
  put(join(project, ".husky/post-checkout"), `#!/bin/sh\ntouch ${TRIPPED}\n`, 0o755);
  shell("git add -A && git commit -qm i --no-verify", project);
}

/** A clone of a repository whose tag brings files that editors and shells execute automatically. */
export function makeTagged(project: string): void {
  const theirs = `${project}-theirs`;
  mkdirSync(theirs, { recursive: true });
  shell(`git init -q -b main . && ${GIT} && echo 1 > f && git add f && git commit -qm i`, theirs);
  put(join(theirs, ".envrc"), `touch ${TRIPPED}`);
  shell("git checkout -q --detach && git add -f .envrc && git commit -qm e && git tag tests/zz", theirs);
  shell(`git -C ${theirs} checkout -q main && git clone -q ${theirs} ${project}`, "/tmp");
  for (const name of ["aa", "zz"]) put(join(project, "tests", name), "");
}
