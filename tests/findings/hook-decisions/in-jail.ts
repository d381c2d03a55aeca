import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type Client, hookClient } from "./client.ts";
import { CANARY, HOME, makeClone, makeHome, makeHooked, makeNested, makeTagged, put } from "./clones.ts";
import { playHooks, playRegistry, playVersions } from "./programs.ts";
import { LINKS, play, REPOSITORIES, SECRETS, type Seen, START_POINTS } from "./scenes.ts";

/** Runs in the jail: the result of a client that follows the hook, or has none (`naive`). Can test another checkout. */
const [mode = "hook", checkout = join(import.meta.dirname, "../../..")] = process.argv.slice(2);
const isNaive = mode === "naive";
process.env["HOME"] = HOME;
process.env["TOOLKEEP_HOME"] = "/tmp/toolkeep";
mkdirSync(HOME, { recursive: true });
makeHome();

const client = (project: string) => hookClient(project, { checkout, isNaive });
const clone = await client("/tmp/clone");
makeClone(clone.project);
const attacks: Seen[] = [...(await play(clone, LINKS)), ...(await play(clone, SECRETS))];
const free = isNaive ? [] : await actionsOf(clone, FREE());
const forms = isNaive ? [] : await formsOf(clone);

makeNested(join(clone.project, "vendor/lib"));
makeNested(join(clone.project, "vendor/kept"));
put(join(clone.project, "vendor/pointed/.git"), "gitdir: ../kept/.git\n");
attacks.push(...(await play(clone, REPOSITORIES)));

for (const scene of START_POINTS) {
  const tagged = await client(`/tmp/tagged-${START_POINTS.indexOf(scene)}`);
  makeTagged(tagged.project);
  attacks.push(...(await play(tagged, [scene])));
}
const versions = await client("/tmp/versions");
makeClone(versions.project);
attacks.push(...(await playVersions(versions)));
const registry = await client("/tmp/registry");
makeClone(registry.project);
const lines = ["npm outdated", "npm ls", "npm list --all", "npm explain y"];
attacks.push(...(await playRegistry(registry, isNaive ? lines.slice(0, 1) : lines)));
const hooked = await client("/tmp/hooked");
makeHooked(hooked.project);
attacks.push(...(await playHooks(hooked)));

console.log(JSON.stringify({ attacks, free, forms }));

/** What must stay allowed in the same clone. */
function FREE(): readonly string[] {
  return [
    "ls -la",
    "cat README.md docs/read.md",
    "cat src/*.js",
    "wc -l src/*.js",
    "ls config/*",
    "grep -rn let src",
    "grep -rn let . --include='*.js'",
    "rg let src",
    "git status",
    "git diff",
    "git log --oneline -5",
    "git grep let",
    "git add src/b.js",
    'git commit -q -m "Add b"',
    "git checkout -b fix/a",
    'find . -name "*.js"',
    "cat config/app.yml | head -5",
    "node --version",
  ];
}

async function actionsOf(one: Client, all: readonly string[]) {
  const found = [];
  for (const line of all) found.push({ line, action: (await one.run(line)).action });
  return found;
}

/** Refusals that name another command: what the hook says to that, and what it shows. */
async function formsOf(one: Client) {
  const found = [];
  for (const line of [
    "grep -rn let .",
    "cat config/*",
    "cat docs/*",
    "grep -R let src docs",
    "rg -uuu let",
    "git grep --untracked let",
    "cat src/*.js config/* | head -20",
    "cd config && cat *.yml",
  ]) {
    const refused = await one.run(line);
    const form = refused.instead === undefined ? undefined : await one.run(refused.instead);
    found.push({
      line,
      action: refused.action,
      instead: refused.instead ?? refused.reason,
      formAction: form?.action,
      showsSecret: form?.output.includes(CANARY) ?? false,
    });
  }
  return found;
}
