import { existsSync, mkdirSync, rmSync } from "node:fs";
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
  TRIPPED,
} from "../hook-decisions/clones.ts";
import { playHooks, playRegistry, playVersions, VERSIONS } from "../hook-decisions/programs.ts";
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

/** What code of the project tries, to leave the sandbox. The last ends everything in it. */
const TRIES: readonly string[] = [
  `cat ${HOME}/.ssh/id_ed25519 ${HOME}/.aws/credentials ${HOME}/notes/diary.txt`,
  "cat config/secrets.yml credentials.json key.pem .env assets/notes/diary.txt docs/notes.txt",
  "grep -rs CANARY / --include=id_ed25519 --include=diary.txt --include=credentials",
  `ls ${HOME}/.toolkeep-of-ada/state/tickets && echo ${CANARY}`,
  `echo "touch /tmp/TRIPPED" > .git/hooks/pre-commit && chmod +x .git/hooks/pre-commit; git commit --allow-empty -m x`,
  `(exec 3<>/dev/tcp/127.0.0.1/4873) && echo ${CANARY}`,
  "ln -sf /tmp/home/.ssh out && cat out/id_ed25519",
  `kill -9 -1; ls /proc/1/root/tmp/home && echo ${CANARY}`,
];

const clone = await client("/tmp/clone");
makeClone(clone.project);
put(join(clone.project, "package.json"), JSON.stringify({ scripts: { test: "sh tries.sh" } }));
put(join(clone.project, "tries.sh"), "echo ran; cat src/a.js");
const control = await clone.run("npm test --silent");
const seen: Seen[] = [...(await playTries())];
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
seen.push(...(await playVersions(versions, some(VERSIONS))));
const registry = await client("/tmp/registry");
makeClone(registry.project);
seen.push(...(await playRegistry(registry, ["npm outdated", "npm ls"])));
const hooked = await client("/tmp/hooked");
makeHooked(hooked.project);
seen.push(...(await playHooks(hooked)));

console.log(JSON.stringify({ seen, control: control.output }));

/** All tries in one command, each after a mark. */
async function playTries(): Promise<readonly Seen[]> {
  rmSync(TRIPPED, { force: true });
  const lines = TRIES.flatMap((line, index) => [`echo "<try ${index}>"`, `( ${line} )`]);
  put(join(clone.project, "tries.sh"), lines.join("\n"));
  const { action, output } = await clone.run("npm test --silent");
  // It has the canary in it, which searches would find.
  rmSync(join(clone.project, "tries.sh"));
  return TRIES.map((line, index) => {
    const [, after] = output.split(`<try ${index}>\n`);
    const own = after?.split("<try ")[0] ?? "";
    // A try that did not run proves nothing.
    const actions = after === undefined ? ["not tried"] : [action];
    return { finding: "[scripts]", line, actions, isTripped: existsSync(TRIPPED) || own.includes(CANARY) };
  });
}

/** Each command is a sandbox of its own, which takes its time. */
function some(scenes: readonly Scene[]): readonly Scene[] {
  const oneIn = Math.ceil(scenes.length / 4);
  return scenes.filter((_, index) => index % oneIn === 0);
}
