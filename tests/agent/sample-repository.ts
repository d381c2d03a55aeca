import { chownSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Makes a small project with a failing test. Root gives it to an ordinary user, as whom its commands run. */
export function makeSampleRepository(base: string): string {
  const root = join(base, "ws");
  mkdirSync(root, { mode: 0o755 });
  const executable = { mode: 0o755 };
  writeFileSync(join(root, "add.sh"), "#!/bin/sh\necho $(($1 - $2))\n", executable);
  writeFileSync(join(root, "test.sh"), TEST, executable);
  writeFileSync(join(root, "linger.sh"), LINGER, executable);
  writeFileSync(join(root, "test.log"), "# Runs\n");
  writeFileSync(join(root, "REVIEW.md"), "# Reviews\n");
  writeFileSync(join(root, "CHANGES.md"), "# Changes\n");
  if (process.getuid?.() === 0)
    for (const path of [base, root, ...FILES.map((name) => join(root, name))]) chownSync(path, 1000, 1000);
  return root;
}

/** Its effect comes first, so that an agent that is killed meanwhile has had it. */
const TEST = `#!/bin/sh
[ "$(./add.sh 2 3)" = 5 ] && echo passed >> test.log || echo failed >> test.log
./linger.sh root
tail -n 1 test.log
`;

/** How long a command of an agent takes after its effect: until its process is killed, where that is wanted. */
const LINGER = `#!/bin/sh
sleep 0.2
while [ -e "hold-$1" ]; do sleep 0.05; done
`;

/** Whether the commands of an agent go on until they are killed. */
export function holdCommands(root: string, agent: string, isHeld: boolean): void {
  const path = join(root, `hold-${agent}`);
  if (isHeld) writeFileSync(path, "");
  else rmSync(path, { force: true });
}

/** Each line in them is the effect of a call that may run once. */
const LOGS = ["test.log", "REVIEW.md", "CHANGES.md"];
const FILES = ["add.sh", "test.sh", "linger.sh", ...LOGS];

/** The files of the project as they are now. */
export function filesOf(root: string): Readonly<Record<string, string>> {
  return Object.fromEntries(FILES.map((name) => [name, readFileSync(join(root, name), "utf8")]));
}

/** How many effects of calls that may run once the files show. */
export function effectsIn(root: string): number {
  return LOGS.reduce((sum, name) => sum + linesIn(filesOf(root)[name]), 0);
}

/** The files of the project when the work is done. */
export const FIXED: Readonly<Record<string, string>> = {
  "add.sh": "#!/bin/sh\necho $(($1 + $2))\n",
  "test.sh": TEST,
  "linger.sh": LINGER,
  "test.log": "# Runs\nfailed\npassed\n",
  "REVIEW.md": "# Reviews\nadd.sh reviewed\n",
  "CHANGES.md": "# Changes\nadd.sh adds again\n",
};

/** The files with more lines than they should have: what may happen once happened again. */
export function repeatedIn(files: Readonly<Record<string, string>>): readonly string[] {
  return LOGS.filter((name) => linesIn(files[name]) > linesIn(FIXED[name])).map(
    (name) => `${name}: ${JSON.stringify(files[name])}`,
  );
}

function linesIn(text = ""): number {
  return text.split("\n").length;
}
