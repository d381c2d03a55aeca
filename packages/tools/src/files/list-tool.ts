import { defineTool } from "@toolkeep/core";
import { fsRead } from "@toolkeep/core/internal";
import { LIST_INPUT } from "./file-inputs.ts";
import { READS } from "./path-arguments.ts";

/** The tool `list`: lists the names in a folder. Names of folders end with `/`. */
export function listTool() {
  return defineTool({
    name: "list",
    label: "List",
    description:
      "Lists the names in a folder; names of folders end with `/`. Omits links, folders without files, and, unless `all` is set, hidden files and files ignored by .gitignore.",
    mode: "read",
    kind: "search",
    gated: false,
    inputSchema: LIST_INPUT,
    requires: { fs: { read: READS } },
    maxOutput: { entries: 1_000 },
    effects: ({ path = "." }) => [
      { ...fsRead(`${withoutSlashes(path)}/**`), partial: true, withoutSecrets: true },
    ],
    async execute({ path = ".", all = false }, ctx) {
      const root = withoutSlashes(path) || "/";
      const folder = ctx.effects[0]?.target.replace(/\*\*$/, "") ?? `${root}/`;
      const names = new Set<string>();
      for await (const { path: found } of ctx.io.files.list({ root, pattern: "**", all }))
        names.add(firstName(found, folder));
      return [...names].sort();
    },
  });
}

function withoutSlashes(path: string): string {
  return path.replace(/(?<!\/)\/+$/, "");
}

/** The first segment of a path below a folder. */
function firstName(path: string, folder: string): string {
  const relative = path.startsWith(folder) ? path.slice(folder.length) : path;
  const slash = relative.indexOf("/");
  return slash === -1 ? relative : relative.slice(0, slash + 1);
}
