import { type ToolContext, ToolFailure, type ToolResult } from "@toolkeep/core";

const MOST_NAMES = 5;
const LONGEST_NAME = 100;

/**
 * Suggests similar names for a file that does not exist, where the session has the tool `list`. It lists the folder with
 * a governed call of its own: permission to read one file does not include permission to list its folder.
 */
export async function missingFile(
  ctx: Pick<ToolContext, "call" | "tools">,
  path: string,
  cause: ToolFailure,
): Promise<ToolFailure> {
  const slash = path.lastIndexOf("/");
  const folder = slash === -1 ? "." : path.slice(0, slash) || "/";
  const canList = ctx.tools.some(({ name }) => name === "list");
  const names = canList ? namesIn(await ctx.call("list", { path: folder })) : [];
  const near = nearNames(names, path.slice(slash + 1));
  const hint =
    near.length > 0
      ? `Similar names there: ${near.map((name) => path.slice(0, slash + 1) + name).join(", ")}`
      : `Use ${canList ? "`list` or " : ""}\`glob\` to see which files exist.`;
  return new ToolFailure("not_found", cause.message, { hint, cause });
}

/** The most similar names, best first. */
function nearNames(names: readonly string[], wanted: string): readonly string[] {
  const folded = fold(wanted);
  return names
    .map((name) => ({ name, distance: distanceOf(fold(name.replace(/\/$/, "")), folded) }))
    .filter(({ distance }) => distance <= Math.max(1, Math.floor(wanted.length / 3)))
    .sort((one, other) => one.distance - other.distance)
    .slice(0, MOST_NAMES)
    .map(({ name }) => name);
}

function fold(name: string): string {
  return name.slice(0, LONGEST_NAME).toLowerCase();
}

function namesIn({ data }: ToolResult): readonly string[] {
  return Array.isArray(data) ? data.filter((name) => typeof name === "string") : [];
}

/** The Levenshtein distance; a name that differs only in its extension is near. */
function distanceOf(one: string, other: string): number {
  if (stem(one) === stem(other)) return 1;
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let at = 1; at <= one.length; at += 1) {
    const next = [at];
    for (let index = 1; index <= other.length; index += 1) {
      const swap = (row[index - 1] as number) + (one[at - 1] === other[index - 1] ? 0 : 1);
      next.push(Math.min(swap, (row[index] as number) + 1, (next[index - 1] as number) + 1));
    }
    row = next;
  }
  return row.at(-1) as number;
}

function stem(name: string): string {
  return name.replace(/(?<=.)\.[^.]*$/, "");
}
