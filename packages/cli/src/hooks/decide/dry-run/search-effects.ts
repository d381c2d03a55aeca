import type { Effect } from "@toolkeep/core";
import type { EffectResolver } from "@toolkeep/core/ports";
import { grepTool } from "@toolkeep/tools/authoring";

/** A search of a client in a tree. */
interface ClientSearch {
  readonly path: string;
  /** As ripgrep takes them: what is searched, or not with a `!`. */
  readonly globs?: readonly string[];
}

/**
 * The effects of a client's search: those of our own tool, and a read of each file in the tree that rules protect or
 * that has the name of a secret, because no client leaves these out. Clients search with ripgrep, which skips what git
 * ignores; whether it skips hidden files depends on the client and its version, so it is taken not to.
 */
export async function searchesOnDisk(
  { path, globs = [] }: ClientSearch,
  resolver: EffectResolver,
): Promise<readonly Effect[]> {
  const own = (await grepTool().effects?.({ pattern: "x", path }, resolver)) ?? [];
  // What a path in a negated glob starts from depends on the client.
  const certain = globs.filter((glob) => !(glob.startsWith("!") && glob.includes("/")));
  const argv = ["rg", "--hidden", ...certain.flatMap((glob) => ["-g", glob]), "-e", "x", "--", path];
  const commands = [{ argv, redirects: [] }];
  const found = (await resolver.commandsOnDisk?.({ line: argv.join(" "), commands, folder: path })) ?? [];
  // A tree that is too large to look through may hold a secret: the session is marked, and size alone asks nothing.
  const isUnknown = found.some(({ capability }) => capability === "shell.dynamic");
  return [
    ...own.map(({ withoutSecrets, ...effect }) =>
      withoutSecrets === true && !isUnknown ? { ...effect, withoutSecrets } : effect,
    ),
    ...found.filter(({ capability }) => capability === "fs.read"),
  ];
}
