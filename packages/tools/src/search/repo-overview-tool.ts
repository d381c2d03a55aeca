import { defineTool, textContent, toolOutput } from "@toolkeep/core";
import type { FileEntry } from "@toolkeep/core/ports";
import languages from "./languages.json" with { type: "json" };
import { OVERVIEW_INPUT, USUAL_DEPTH } from "./search-inputs.ts";
import { SEARCHED_PATHS, searchEffects, searchedPath } from "./searched-path.ts";

const MOST_FILES = 100_000;
const MOST_FOLDERS = 200;
const MOST_NAMES = 100;

const LANGUAGES = new Map(
  Object.entries(languages).flatMap(([name, endings]) => endings.split(" ").map((ending) => [ending, name])),
);

/** The tool `repo_overview`: which folders a repository has, and in which languages it is written. */
export function repoOverviewTool() {
  return defineTool({
    name: "repo_overview",
    label: "Overview of a repository",
    description:
      "Summarizes a repository: its folders with the number of files below each, the files at its top, and its languages by size. Omits hidden files and files ignored by .gitignore.",
    mode: "read",
    kind: "search",
    gated: false,
    inputSchema: OVERVIEW_INPUT,
    requires: SEARCHED_PATHS,
    effects: ({ path }) => searchEffects(path),
    async execute({ path, depth = USUAL_DEPTH }, ctx) {
      const searched = searchedPath(path, ctx);
      const listed = ctx.io.files.list({ root: searched.root, pattern: "**", limit: MOST_FILES });
      const start = path === undefined ? 0 : `${path.replace(/(?<!\/)\/+$/, "")}/`.length;
      const entries = await Array.fromAsync(listed, (entry) => ({
        ...entry,
        path: searched.shown(entry.path).slice(start),
      }));
      const overview = overviewOf(entries, depth);
      return toolOutput({ data: overview, content: [textContent(shown(overview))] });
    },
  });
}

/** Files and bytes of something. */
interface Amount {
  readonly name: string;
  readonly files: number;
  readonly bytes: number;
}

/** Of files whose paths are relative to the repository. */
function overviewOf(entries: readonly FileEntry[], depth: number) {
  const byLanguage = new Map<string, Amount>();
  const byFolder = new Map<string, Amount>();
  const top: string[] = [];
  for (const { path, size } of entries) {
    const segments = path.split("/");
    const file = segments.pop() ?? "";
    if (segments.length === 0) top.push(file);
    const language = LANGUAGES.get(/\.(\w+)$/.exec(file)?.[1]?.toLowerCase() ?? "");
    if (language !== undefined) count(byLanguage, language, size);
    const deepest = Math.min(depth, segments.length);
    for (let level = 1; level <= deepest; level += 1)
      count(byFolder, `${segments.slice(0, level).join("/")}/`, size);
  }
  const folders = [...byFolder.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
  return {
    files: entries.length,
    bytes: entries.reduce((sum, { size }) => sum + size, 0),
    languages: [...byLanguage.values()].sort((one, other) => other.bytes - one.bytes),
    folders: folders.slice(0, MOST_FOLDERS),
    top: top.sort().slice(0, MOST_NAMES),
    truncated: entries.length >= MOST_FILES || folders.length > MOST_FOLDERS || top.length > MOST_NAMES,
  };
}

function count(amounts: Map<string, Amount>, name: string, size: number): void {
  const { files, bytes } = amounts.get(name) ?? { files: 0, bytes: 0 };
  amounts.set(name, { name, files: files + 1, bytes: bytes + size });
}

function shown(overview: ReturnType<typeof overviewOf>): string {
  const { files, bytes, languages: found, folders, top, truncated } = overview;
  const known = found.reduce((sum, language) => sum + language.bytes, 0);
  const shares = found.map(
    (language) =>
      `${language.name} ${Math.round((100 * language.bytes) / known)} % (${filesText(language.files)})`,
  );
  const tree = folders.map(
    ({ name, files: below }) => `${"  ".repeat(name.split("/").length - 2)}${name} (${filesText(below)})`,
  );
  return [
    `${filesText(files)}, ${bytes} bytes`,
    ...(shares.length === 0 ? [] : [`Languages: ${shares.join(", ")}`]),
    ...tree,
    ...top,
    ...(truncated ? ["(There is more. Give `path` to see a part.)"] : []),
  ].join("\n");
}

function filesText(count: number): string {
  return count === 1 ? "1 file" : `${count} files`;
}
