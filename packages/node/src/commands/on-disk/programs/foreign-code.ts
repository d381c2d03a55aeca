import { relative, resolve } from "node:path";
import { PROGRAM_KINDS, wordsIn } from "@toolkeep/catalog/internal";
import type { Effect } from "@toolkeep/core";
import { bareName, isWithin, runsCode } from "@toolkeep/core/internal";
import { ledTo } from "../names/moved-folder.ts";

/** Folders in which others' code is installed. */
const INSTALLED = /(?:^|\/)(?:node_modules|bower_components|site-packages|\.venv|venv|\.yarn)(?:\/|$)/;

/** They load the files that they are given, or the settings next to these. */
const LOADING = wordsIn(PROGRAM_KINDS.fileLoaders);

export interface Look {
  readonly folder: string;
  readonly roots: readonly string[];
}

/** Whether a path is in the project and not among what is installed there. */
export function isOwn(path: string, { roots }: Pick<Look, "roots">): boolean {
  return roots.some((root) => isWithin(path, root) && !INSTALLED.test(relative(root, path)));
}

/**
 * What a command does that runs code in the folder of an installed package, or outside of the workspace: the code is not
 * the project's own, which is what the user trusts. Links are followed, so a package of the project itself is its own.
 */
export async function foreignCode(argv: readonly string[], look: Look): Promise<readonly Effect[]> {
  if (look.roots.length === 0 || !runsCode(argv)) return [];
  const folders = [look.folder, ...(loadsOperands(argv) ? await operandsOf(argv, look) : [])];
  const foreign = folders.find((path) => !isOwn(path, look));
  if (foreign === undefined) return [];
  const note = `It runs code in ${JSON.stringify(foreign)}, which is not the project's own.`;
  return [{ capability: "package.run", target: foreign, known: "inferred", note }];
}

function loadsOperands(argv: readonly string[]): boolean {
  const name = bareName(argv[0] ?? "");
  if (name === "node" || name === "bun" || name === "deno") return /^(?:--)?test$/.test(argv[1] ?? "");
  return argv.some((arg, index) => (index === 0 ? LOADING.has(name) : LOADING.has(arg)));
}

/** What is outside of the workspace is read, which rules decide about. */
async function operandsOf(argv: readonly string[], { folder, roots }: Look): Promise<readonly string[]> {
  const paths = argv.slice(1).map((arg) => resolve(folder, arg.replace(/^-[^=]*=/, "")));
  const led = await Promise.all(paths.map((path) => ledTo(path)));
  return led
    .filter((path) => path !== undefined)
    .filter((path) => roots.some((root) => isWithin(path, root)));
}
