import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { putFile, temporaryFolder } from "../../../../../../tests/temporary-folder.ts";
import { scriptsOfHook, scriptsOnDisk } from "./scripts-run.ts";

let root: string;
beforeEach(() => {
  root = temporaryFolder();
  put("scripts/build.js", "");
  put(
    "package.json",
    JSON.stringify({
      scripts: {
        test: "npm run lint && vitest run",
        pretest: "node scripts/build.js",
        lint: "eslint .",
        "lint:css": "stylelint .",
        all: "run-s lint:*",
        build: "make -C native",
        unused: "sh x",
      },
    }),
  );
});

const put = (path: string, text: string) => putFile(join(root, path), text);

async function run(...argv: readonly string[]) {
  const commands = [{ argv, redirects: [] }];
  const effects = await scriptsOnDisk({ line: argv.join(" "), commands, folder: root }, { roots: [root] });
  const [effect] = effects;
  return effect?.scripts?.map((one) => one.replace(`${root}/`, ""));
}

test("a script runs those before and after it, what its text names, and what these name", async () => {
  const found = await run("npm", "test");
  for (const one of ["test", "pretest", "posttest", "lint"]) expect(found).toContain(`package.json#${one}`);
  for (const one of ["scripts/build.js", "vitest", "eslint"]) expect(found).toContain(one);
  for (const one of ["build", "unused", "lint:css"]) expect(found).not.toContain(`package.json#${one}`);
  expect(await run("npm", "run", "all")).toContain("package.json#lint:css");
  expect(await run("npm", "run", "-s", "build")).toContain("make");
  expect(await run("yarn", "build")).toContain("package.json#build");
  expect(await run("npm", "install", "zod")).toContain("package.json#postinstall");
  expect(await run("npx", "vitest", "run")).toEqual(["vitest", "run"]);
});

test("where it may be run elsewhere, or is no script, nothing is known", async () => {
  for (const argv of [
    ["npm", "--prefix", "other", "test"],
    ["pnpm", "-r", "test"],
    ["npm", "run", "--if-present", "x"],
    ["npx", "-c", "x"],
    ["make"],
    ["ls"],
  ])
    expect(await run(...argv), argv.join(" ")).toBeUndefined();
});

test("a hook runs itself and what its text names, unless it hands on to a manager of hooks", () => {
  const hook = put(".husky/pre-commit", "npm run lint\n");
  expect(scriptsOfHook(hook, [root])).toEqual(
    expect.arrayContaining([hook, join(root, "package.json#lint")]),
  );
  expect(scriptsOfHook(hook, [root])).not.toContain(join(root, "package.json#test"));
  expect(scriptsOfHook(put(".husky/pre-push", "npm test\n"), [root])).toContain(
    join(root, "package.json#pretest"),
  );
  expect(scriptsOfHook(put(".husky/commit-msg", "npx lint-staged\n"), [root])).toBeUndefined();
});
