import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type RandomSource, randomSource } from "../policy/random-source.ts";

export interface RepositorySize {
  readonly files: number;
  /** The average number of files in a folder. */
  readonly filesInFolder: number;
  /** The average length of a file. */
  readonly bytesInFile: number;
}

/** Files like those of a large project, in a temporary folder that is removed on disposal. */
export interface GeneratedRepository extends Disposable {
  readonly root: string;
  readonly files: number;
  readonly bytes: number;
}

/** Occurs once in about one file in 400. */
export const RARE = "rareNeedleInHay";
/** Occurs in more than half of the files. */
export const FREQUENT = "frequentWord";

const SEED = 20_261_115;
const ENDINGS = ["ts", "ts", "ts", "tsx", "js", "json", "md", "py", "go", "css"];
const WORDS =
  "const function return await import export type interface value index name list path file call result async error string number object map filter reduce".split(
    " ",
  );

/** Deterministic: every run measures the same files. The ignored files are additional. */
export function generateRepository(size: RepositorySize): GeneratedRepository {
  const root = mkdtempSync(join(tmpdir(), "toolkeep-repository-"));
  const random = randomSource(SEED);
  const folders = foldersIn(Math.ceil(size.files / size.filesInFolder), random);
  let bytes = 0;
  const put = (name: string, content: string) => {
    const path = join(root, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    const changedAt = 1_700_000_000 + random.below(30_000_000);
    utimesSync(path, changedAt, changedAt);
    bytes += content.length;
  };
  const contents = contentsOf(size.bytesInFile, random);
  for (let index = 0; index < size.files; index += 1)
    put(`${random.pick(folders)}/file-${index}.${random.pick(ENDINGS)}`, contents());
  writeFileSync(join(root, ".gitignore"), "dist/\n*.log\n/coverage\nnode_modules\n!keep.log\n.cache/**\n");
  for (const folder of folders.slice(0, 40)) {
    put(`${folder}/dist/made.js`, contents());
    put(`${folder}/noise.log`, contents());
    put(`${folder}/.gitignore`, "*.tmp\n/generated-*\n");
  }
  return {
    root,
    files: size.files,
    bytes,
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  };
}

/** Each new folder is in one of the earlier ones; most are not deep. */
function foldersIn(count: number, random: RandomSource): readonly string[] {
  const folders = ["src", "packages", "tests", "docs"];
  while (folders.length < count) {
    const parent = random.pick(folders);
    if (parent.split("/").length < 8) folders.push(`${parent}/${random.pick(WORDS)}-${folders.length}`);
  }
  return folders;
}

/** Random parts of one long text: generating each letter would take minutes. */
function contentsOf(bytesInFile: number, random: RandomSource): () => string {
  const lines = Array.from({ length: 20_000 }, () =>
    Array.from({ length: 3 + random.below(9) }, () => random.pick(WORDS)).join(" "),
  );
  const lineBytes = lines.reduce((sum, line) => sum + line.length + 1, 0) / lines.length;
  return () => {
    const count = Math.max(3, Math.round(((0.2 + random.below(160) / 100) * bytesInFile) / lineBytes));
    const start = random.below(Math.max(1, lines.length - count));
    const chosen = lines.slice(start, start + count);
    if (random.below(400) === 0) chosen[count >> 1] = `${chosen[count >> 1]} ${RARE}(${random.below(9_999)})`;
    if (random.below(100) < 60) chosen[1] = `${chosen[1]} ${FREQUENT}`;
    return `${chosen.join("\n")}\n`;
  };
}
