import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { containedProject } from "./images/contained-project.ts";
import { preparedHome } from "./images/prepared-home.ts";
import { pictureOf } from "./images/terminal-picture.ts";
import { ROOT } from "./root.ts";

/*
 * Writes docs/images: runs the program in a terminal, on a prepared project, and draws the screen. With names of
 * pictures as arguments, only these.
 */

interface Shot {
  readonly name: string;
  /** The command line, as it is typed. */
  readonly line: string;
  readonly columns: number;
  /** Whether Toolkeep is installed in the project by then. */
  readonly isGuarded?: true;
  /** Whether a call to a server waits for an approval. */
  readonly isWaiting?: true;
  /** What ends it: the picture shows the screen before this key. */
  readonly key?: string;
}

const SHOTS: readonly Shot[] = [
  { name: "scan", line: "npx toolkeep scan", columns: 100 },
  { name: "doctor", line: "toolkeep doctor", columns: 112, isGuarded: true },
  {
    name: "policy-explain",
    line: "toolkeep policy explain 'npm install left-pad && git push origin main'",
    columns: 112,
    isGuarded: true,
  },
  {
    name: "approval",
    line: "toolkeep call bash 'npm install left-pad && git push origin main'",
    columns: 112,
    isGuarded: true,
    key: "n",
  },
  { name: "inbox", line: "toolkeep approvals", columns: 112, isGuarded: true, isWaiting: true, key: "q" },
];

/** In a project of an ordinary user: root has no layers. */
const CONTAINED = { name: "changes", line: "toolkeep changes 1 --diff", columns: 100 } as const;

const FOLDER = join(ROOT, "docs/images");
const wanted = process.argv.slice(2);
mkdirSync(FOLDER, { recursive: true });
await using home = preparedHome();
for (const { name, line, columns, isGuarded, isWaiting, key } of SHOTS) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  if (isGuarded === true) await home.guard();
  if (isWaiting === true) await home.ask();
  const received = await home.show(line, columns, key);
  writeFileSync(join(FOLDER, `${name}.png`), await pictureOf({ typed: line, received, columns }));
  console.log(`docs/images/${name}.png`);
}
if (wanted.length === 0 || wanted.includes(CONTAINED.name)) {
  await using project = await containedProject();
  const received = await project.show(CONTAINED.line, CONTAINED.columns);
  const picture = await pictureOf({ typed: CONTAINED.line, received, columns: CONTAINED.columns });
  writeFileSync(join(FOLDER, `${CONTAINED.name}.png`), picture);
  console.log(`docs/images/${CONTAINED.name}.png`);
}
