import { chmodSync, existsSync, linkSync, renameSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import type { Rule } from "@toolkeep/core";
import { compilePolicy, RECOMMENDED_POLICY } from "@toolkeep/core/policy";
import { deny, only, open, put, repository, stage, text } from "./stage.ts";

/*
 * Runs within the jail alone. Prints what became of each scene, as one JSON object: a name and what was seen.
 */
const seen: Record<string, unknown> = {};

const PRIVATE = [deny("fs.*", "{workspace}/private/**")];
const LOCKED = [deny("fs.write", "{workspace}/locked/**"), deny("fs.delete", "{workspace}/locked/**")];
const FILES = {
  "private/plan.txt": "CANARY\n",
  "locked/a.txt": "as it was\n",
  "README.md": "hello\n",
};

async function theFinding() {
  const root = stage({ ...FILES, "package.json": JSON.stringify({ scripts: { test: "sh test/run.sh" } }) });
  const rules = [...RECOMMENDED_POLICY.rules, ...PRIVATE, ...LOCKED];
  const s = await open([root], { ...RECOMMENDED_POLICY, rules });
  seen["grep -r"] = await s.tool("bash", { command: "grep -r CANARY ." });
  seen["cat by pattern"] = await s.tool("bash", { command: "cat ./*/plan.txt" });
  await s.tool("write", {
    path: `${root}/test/run.sh`,
    content: "echo PWNED > locked/a.txt; cat private/plan.txt; true",
  });
  seen["npm test"] = await s.tool("bash", { command: "npm test" });
  seen["locked after npm test"] = text(`${root}/locked/a.txt`);
  seen["cat README"] = await s.tool("bash", { command: "cat README.md" });
  await s.close();
}

async function theControl() {
  const root = stage(FILES);
  const { decide } = compilePolicy({ ...only([...PRIVATE, ...LOCKED]), variables: { workspace: [root] } });
  const s = await open([root], {}, { authorizer: { decide } });
  seen["control read"] = await s.sh("grep -r CAN'ARY' private");
  await s.sh("echo PWNED > locked/a.txt");
  seen["control write"] = text(`${root}/locked/a.txt`);
  await s.close();
}

async function shapesOfReading() {
  const root = stage({
    ...FILES,
    "a/b/secret.txt": "CANARY\n",
    "a/b/open.txt": "open\n",
    "x.bak": "CANARY\n",
  });
  symlinkSync("private", join(root, "link"));
  symlinkSync("../../private/plan.txt", join(root, "a/b/file-link"));
  linkSync(join(root, "x.bak"), join(root, "hard"));
  const s = await open([root], only([...PRIVATE, deny("fs.read", "**/{secret.txt,*.bak}")]));
  seen["read by script"] = await s.sh(
    "cat private/plan.txt link/plan.txt a/b/file-link a/b/secret.txt x.bak; cat a/b/open.txt; cp -r . /tmp/copy; grep -r CANA'RY' /tmp/copy | grep -v hard; mv a moved; cat moved/b/secret.txt; mv private other; ls private; true",
  );
  seen["moved"] = [existsSync(join(root, "moved")), existsSync(join(root, "other"))];
  seen["hard link made before"] = await s.sh("cat hard");
  seen["hard link made within"] = await s.sh("ln a/b/secret.txt now; ln private/plan.txt now2; cat now now2");
  put(join(root, "probe2.sh"), "cat private/plan.txt");
  const started = await s.tool("bash_start", { command: "sh probe2.sh" });
  const id = /[\w-]*\d[\w-]*/.exec(started)?.[0] ?? "";
  let output = "";
  for (let looks = 0; looks < 120 && !output.includes("ended"); looks += 1)
    output += await s.tool("bash_output", { id, wait: 1_000 });
  seen["bash_start"] = output;
  await s.close();
}

async function shapesOfWriting() {
  const root = stage({
    ...FILES,
    "conf/keep.txt": "as it was\n",
    "data/1.txt": "1\n",
    "data/2.txt": "2\n",
    "tree/a/1": "1\n",
  });
  symlinkSync("locked/a.txt", join(root, "link"));
  symlinkSync("README.md", join(root, "current"));
  const s = await open(
    [root],
    only([
      ...LOCKED,
      deny("fs.write", "**/keep.txt"),
      deny("fs.*", "{workspace}/later/**"),
      deny("fs.delete", "{workspace}/data/*.txt"),
      deny("fs.delete", "{workspace}/tree/**"),
      deny("fs.write", "{workspace}/current"),
    ]),
  );
  seen["write by script"] = await s.sh(
    "echo x > locked/a.txt; sed -i s/as/AS/ locked/a.txt; echo n > n; mv n locked/a.txt; rm -rf locked conf; echo x > locked/new; echo x > link; mv locked l2; mv conf c2; echo x >> conf/keep.txt; rm conf/keep.txt; chmod 777 locked; true",
  );
  seen["locked"] = [
    text(`${root}/locked/a.txt`),
    existsSync(`${root}/locked/new`),
    text(`${root}/conf/keep.txt`),
  ];
  seen["delete only"] = await s.sh(
    "rm -f data/1.txt; rm -rf data; mv data d2; echo 3 > data/2.txt; echo n > data/n; rm -rf tree; mv tree t2; echo 2 > tree/a/1; true",
  );
  seen["data"] = [text(`${root}/data/1.txt`), text(`${root}/data/2.txt`), text(`${root}/data/n`)];
  seen["tree"] = text(`${root}/tree/a/1`);
  seen["made later"] = await s.sh("mkdir -p later/deep src; echo x > later/deep/a; echo x > src/keep.txt");
  seen["left of later"] = [existsSync(`${root}/later`), existsSync(`${root}/src/keep.txt`)];
  seen["hidden while closed"] = await s.sh("mkdir -p src/s; echo x > src/s/keep.txt; chmod 0 src/s");
  seen["left of closed"] = existsSync(`${root}/src/s/keep.txt`);
  seen["link replaced"] = await s.sh("ln -sfn locked/a.txt current");
  seen["quiet afterwards"] = await s.sh("echo fine > src/ok.txt; cat src/ok.txt");
  await s.close();
}

async function byTheUserMeanwhile() {
  const root = stage(FILES);
  const s = await open([root], only(LOCKED));
  const running = s.sh("sleep 3; cat README.md");
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  put(`${root}/locked/fresh`, "the user's own\n");
  renameSync(`${root}/locked/fresh`, `${root}/locked/a.txt`);
  seen["replaced by the user"] = [await running, text(`${root}/locked/a.txt`)];
  await s.close();
}

async function exceptions() {
  const root = stage({ "docs/a.txt": "CANARY\n", "docs/public/b.txt": "open\n" });
  const rules: readonly Rule[] = [
    deny("fs.*", "{workspace}/docs/**", { scope: "project" }),
    { permission: "fs.*", pattern: "{workspace}/docs/public/**", action: "allow", scope: "session" },
  ];
  const s = await open([root], only(rules));
  seen["longer allow"] = await s.sh(
    "cat docs/a.txt; cat docs/public/b.txt; echo x > docs/public/c.txt; echo x > docs/a.txt; true",
  );
  seen["made next to a longer allow"] = await s.sh("echo x > docs/n");
  seen["left next to a longer allow"] = [
    existsSync(`${root}/docs/public/c.txt`),
    existsSync(`${root}/docs/n`),
  ];
  await s.close();
}

async function subagentsAndRoots() {
  const [one, two] = [stage(FILES), stage(FILES)];
  const parent = await open([one, two], only(PRIVATE));
  seen["two roots"] = await parent.sh(`cat private/plan.txt ${two}/private/plan.txt; true`);
  const child = await open([one, two], only(LOCKED), { parent: parent.session });
  seen["child"] = await child.sh("cat private/plan.txt; echo PWNED > locked/a.txt; true");
  seen["locked of child"] = text(`${one}/locked/a.txt`);
  await child.close();
  await parent.close();
}

async function rootsWithin() {
  const root = stage({ "a/x.txt": "CANARY\n", "a/b/secret.txt": "CANARY\n", "c/d/keep.txt": "as it was\n" });
  const rules = [deny("fs.*", `${root}/a/**`), deny("fs.write", `${root}/c/**`)];
  const s = await open([root, `${root}/a/b`, `${root}/c/d`], only(rules));
  seen["roots within"] = await s.sh(
    "cat a/x.txt a/b/secret.txt; echo PWNED > a/b/secret.txt; echo PWNED > c/d/keep.txt; echo x > c/d/new; cat c/d/keep.txt; true",
  );
  seen["files of roots within"] = [
    text(`${root}/a/b/secret.txt`),
    text(`${root}/c/d/keep.txt`),
    existsSync(`${root}/c/d/new`),
  ];
  await s.close();
}

async function closedFolders() {
  const shown: string[] = [];
  for (const mode of ["0311", "0000", "0444", "0111"]) {
    const root = stage({ "node_modules/p/secret.txt": "CANARY\n", "node_modules/p/keep.js": "as it was\n" });
    const rules = [deny("fs.read", "**/node_modules/p/*.txt"), deny("fs.write", "**/node_modules/p/*.js")];
    const s = await open([root], only(rules));
    await s.sh(`chmod ${mode} node_modules/p`);
    shown.push(
      await s.sh(
        "cat node_modules/p/secret.txt; echo PWNED > node_modules/p/keep.js; chmod 0755 node_modules/p; cat node_modules/p/secret.txt; echo PWNED > node_modules/p/keep.js; mv node_modules/p q; cat q/secret.txt; true",
      ),
    );
    chmodSync(`${root}/node_modules/p`, 0o755);
    shown.push(text(`${root}/node_modules/p/keep.js`));
    await s.close();
  }
  seen["closed folders"] = shown.join("\n");
}

async function tooMany() {
  const files = Object.fromEntries(Array.from({ length: 401 }, (_, at) => [`many/${at}.bak`, "CANARY\n"]));
  const root = stage(files);
  const s = await open([root], only([deny("fs.read", "**/*.bak")]));
  seen["too many"] = await s.sh("cat many/1.bak");
  await s.close();
}

async function tracked() {
  const root = stage(FILES);
  repository(root);
  const s = await open([root], only(PRIVATE));
  seen["git status"] = await s.tool("bash", { command: "git status --short" });
  seen["git show"] = await s.tool("bash", { command: "git show HEAD" });
  await s.close();
}

async function everyday() {
  const root = stage({
    "README.md": "hello\n",
    ".gitignore": ".env*\n",
    ".env": "KEY=CANARY\n",
    ".env.test": "KEY=CANARY\n",
    "tls/key.pem": "CANARY\n",
    "package.json": JSON.stringify({ scripts: { test: "echo tested > out.txt; cat out.txt" } }),
  });
  repository(root);
  const s = await open([root], RECOMMENDED_POLICY);
  const results: string[] = [];
  for (const command of [
    "cat README.md",
    "npm test",
    "git status --short",
    "git add out.txt",
    "git commit -qm two",
  ])
    results.push(await s.tool("bash", { command }));
  seen["everyday"] = results;
  await s.close();
}

const SCENES = {
  theFinding,
  theControl,
  shapesOfReading,
  shapesOfWriting,
  byTheUserMeanwhile,
  exceptions,
  subagentsAndRoots,
  rootsWithin,
  closedFolders,
  tooMany,
  tracked,
  everyday,
};
for (const [name, scene] of Object.entries(SCENES)) {
  const since = performance.now();
  try {
    await scene();
  } catch (error) {
    seen[`failed: ${name}`] = String((error as Error).stack);
  }
  if (process.argv.includes("--times")) console.error(name, Math.round(performance.now() - since));
}
console.log(JSON.stringify(seen, undefined, 1));
