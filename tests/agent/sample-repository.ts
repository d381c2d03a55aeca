import { chownSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Makes a small project with a failing test. Root gives it to an ordinary user, as whom its commands run. */
export function makeSampleRepository(base: string): string {
  const root = join(base, "ws");
  mkdirSync(root, { mode: 0o755 });
  const executable = { mode: 0o755 };
  writeFileSync(join(root, "add.sh"), "#!/bin/sh\necho $(($1 - $2))\n", executable);
  writeFileSync(join(root, "test.sh"), TEST, executable);
  writeFileSync(join(root, "test.log"), "# Runs\n");
  writeFileSync(join(root, "CHANGES.md"), "# Changes\n");
  if (process.getuid?.() === 0)
    for (const path of [base, root, ...FILES.map((name) => join(root, name))]) chownSync(path, 1000, 1000);
  return root;
}

/** Its effect comes first, so that an agent that is killed meanwhile has had it. */
const TEST = `#!/bin/sh
[ "$(./add.sh 2 3)" = 5 ] && echo passed >> test.log || echo failed >> test.log
sleep 0.2
tail -n 1 test.log
`;

const FILES = ["add.sh", "test.sh", "test.log", "CHANGES.md"];

/** The files of the project as they are now. */
export function filesOf(root: string): Readonly<Record<string, string>> {
  return Object.fromEntries(FILES.map((name) => [name, readFileSync(join(root, name), "utf8")]));
}

/** The files of the project when the work is done. */
export const FIXED: Readonly<Record<string, string>> = {
  "add.sh": "#!/bin/sh\necho $(($1 + $2))\n",
  "test.sh": TEST,
  "test.log": "# Runs\nfailed\npassed\n",
  "CHANGES.md": "# Changes\nadd.sh adds again\n",
};
