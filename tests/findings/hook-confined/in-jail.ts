import { mkdirSync } from "node:fs";
import { join } from "node:path";
import {
  CANARY,
  HOME,
  makeClone,
  makeHome,
  makeHooked,
  makeNested,
  makeTagged,
  put,
} from "../hook-decisions/clones.ts";
import { playHooks, playRegistry, playVersions } from "../hook-decisions/programs.ts";
import {
  LINKS,
  play,
  REPOSITORIES,
  type Scene,
  SECRETS,
  type Seen,
  START_POINTS,
} from "../hook-decisions/scenes.ts";
import { confinedClient } from "./client.ts";

/** Runs in the jail: what comes of the attacks on the hook where their commands run in the sandbox. */
const [main = ""] = process.argv.slice(2);
process.env["HOME"] = HOME;
process.env["TOOLKEEP_HOME"] = join(HOME, ".toolkeep-of-ada");
mkdirSync(HOME, { recursive: true });
makeHome();

const client = (project: string) => confinedClient(project, [process.execPath, main]);

/** Code of the project that runs in the sandbox, and tries to leave it. */
const SCRIPTS: readonly Scene[] = [
  `cat ${HOME}/.ssh/id_ed25519 ${HOME}/.aws/credentials ${HOME}/notes/diary.txt`,
  "cat config/secrets.yml credentials.json key.pem .env assets/notes/diary.txt docs/notes.txt",
  "grep -rs CANARY / --include=id_ed25519 --include=diary.txt --include=credentials",
  `ls ${HOME}/.toolkeep-of-ada/state/tickets && echo ${CANARY}`,
  `echo "touch /tmp/TRIPPED" > .git/hooks/pre-commit && chmod +x .git/hooks/pre-commit; git commit --allow-empty -m x`,
  `(exec 3<>/dev/tcp/127.0.0.1/4873) && echo ${CANARY}`,
  `kill -9 -1; ls /proc/1/root/tmp/home && echo ${CANARY}`,
  "ln -sf /tmp/home/.ssh out && cat out/id_ed25519",
].map((line) => ({ finding: "[scripts]", lines: ["npm test --silent"], script: line }));

const seen: Seen[] = [];
const clone = await client("/tmp/clone");
makeClone(clone.project);
put(join(clone.project, "package.json"), JSON.stringify({ scripts: { test: "echo ran; cat src/a.js" } }));
const control = await clone.run("npm test --silent");
for (const scene of SCRIPTS) {
  const { script } = scene as Scene & { readonly script: string };
  put(join(clone.project, "package.json"), JSON.stringify({ scripts: { test: script } }));
  seen.push(...(await play(clone, [scene])).map((one) => ({ ...one, line: script })));
}
seen.push(...(await play(clone, some(LINKS))), ...(await play(clone, some(SECRETS))));
makeNested(join(clone.project, "vendor/lib"));
makeNested(join(clone.project, "vendor/kept"));
put(join(clone.project, "vendor/pointed/.git"), "gitdir: ../kept/.git\n");
seen.push(...(await play(clone, some(REPOSITORIES))));

for (const scene of START_POINTS) {
  const tagged = await client(`/tmp/tagged-${START_POINTS.indexOf(scene)}`);
  makeTagged(tagged.project);
  seen.push(...(await play(tagged, [scene])));
}
const versions = await client("/tmp/versions");
makeClone(versions.project);
seen.push(...(await playVersions(versions)));
const registry = await client("/tmp/registry");
makeClone(registry.project);
seen.push(...(await playRegistry(registry, ["npm outdated", "npm ls", "npm list --all", "npm explain y"])));
const hooked = await client("/tmp/hooked");
makeHooked(hooked.project);
seen.push(...(await playHooks(hooked)));

console.log(JSON.stringify({ seen, control: control.output }));

/** Each command is a sandbox of its own, which takes its time. */
function some(scenes: readonly Scene[]): readonly Scene[] {
  return scenes.filter((_, index) => index % 2 === 0);
}
