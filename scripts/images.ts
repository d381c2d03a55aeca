import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
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
];

const FOLDER = join(ROOT, "docs/images");
const wanted = process.argv.slice(2);
mkdirSync(FOLDER, { recursive: true });
using home = await preparedHome();
for (const { name, line, columns, isGuarded } of SHOTS) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  if (isGuarded === true) await home.guard();
  const received = await home.show(line, columns);
  writeFileSync(join(FOLDER, `${name}.png`), await pictureOf({ typed: line, received, columns }));
  console.log(`docs/images/${name}.png`);
}
