import type { EffectResolver, FoundBeneath } from "@toolkeep/core/ports";

const MOST_KEPT = 20_000;
const MOST_TREES = 8;
const MOST_FOUND = 200;

/**
 * The same answers as those of another resolver, each looked up once: a history asks about the same files and commands
 * thousands of times, and nothing of them changes while it is read.
 */
export function rememberingResolver(resolver: EffectResolver): EffectResolver {
  const { findBeneath, commandsOnDisk } = resolver;
  const trees = remembered(MOST_TREES, async (folder: string) => {
    const paths: string[] = [];
    const found = await findBeneath?.(folder, (path) => {
      paths.push(path);
      return false;
    });
    return Array.isArray(found) ? paths : (found ?? "unknown");
  });
  const isFolder = remembered(MOST_KEPT, async (folder: string) => findBeneath?.(folder) ?? "unknown");
  return {
    ...resolver,
    canonicalPath: remembered(MOST_KEPT, (path: string) => resolver.canonicalPath(path)),
    parseCommand: remembered(MOST_KEPT, (line: string) => resolver.parseCommand(line)),
    ...(findBeneath === undefined
      ? {}
      : {
          async findBeneath(folder, isWanted): Promise<FoundBeneath> {
            if (isWanted === undefined) return isFolder(folder);
            const paths = await trees(folder);
            if (!Array.isArray(paths)) return paths;
            const wanted = paths.filter(isWanted);
            return wanted.length > MOST_FOUND ? "unknown" : wanted;
          },
        }),
    ...(commandsOnDisk === undefined
      ? {}
      : { commandsOnDisk: remembered(MOST_KEPT, commandsOnDisk, lineKey) }),
  };
}

/** What a line does on the disk depends on the line, its folder and what the session protects. */
const lineKey = (...[{ line, folder }, session]: Parameters<NonNullable<EffectResolver["commandsOnDisk"]>>) =>
  JSON.stringify([line, folder, session?.roots]);

function remembered<Args extends [unknown, ...unknown[]], Result>(
  most: number,
  find: (...args: Args) => Promise<Result>,
  keyOf = (...args: Args) => String(args[0]),
): (...args: Args) => Promise<Result> {
  const known = new Map<string, Promise<Result>>();
  return (...args) => {
    const key = keyOf(...args);
    const found = known.get(key) ?? find(...args);
    if (known.size >= most) known.clear();
    known.set(key, found);
    return found;
  };
}
