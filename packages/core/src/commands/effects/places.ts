import type { SimpleCommand } from "../../contract/io/resolve-effects.ts";

/** The folder that relative paths begin in: one that is known, one beneath where the line began, or any. */
export type Place = { readonly folder: string } | "beneath" | "anywhere";

/** In a line that is not plain a command that moves may fail, or be somewhere on its own. */
export function firstPlace(commands: readonly SimpleCommand[], isPlain: boolean): Place {
  const moving = commands.filter(moves);
  if (isPlain || moving.length === 0) return { folder: "" };
  return moving.every(goesDown) ? "beneath" : "anywhere";
}

const MOST_WAYS = 3;

/** The folders that a line which only goes down may come to, whichever of its ways it takes; `undefined` for others. */
export function waysDown(commands: readonly SimpleCommand[]): readonly Place[] | undefined {
  const moving = commands.filter(moves);
  if (moving.length > MOST_WAYS || !moving.every(goesDown)) return undefined;
  if (moving.some(({ argv }) => !/^[\w@+,./-]+$/.test(argv[1] ?? ""))) return undefined;
  const folders = [""];
  for (const { argv } of moving)
    folders.push(...folders.map((folder) => `${folder}${argv[1]?.replace(/\/+$/, "")}/`));
  return folders.map((folder) => ({ folder }));
}

/** To go where it already is changes nothing. */
export function moves({ argv: [name = "", to = "", ...more] }: SimpleCommand): boolean {
  if (name === "cd" && more.length === 0 && /^\.\/*$/.test(to)) return false;
  return name === "cd" || name === "pushd" || name === "popd";
}

function goesDown({ argv: [name = "", to, ...more] }: SimpleCommand): boolean {
  return name === "cd" && to !== undefined && more.length === 0 && isFolderBelow(to);
}

/** Where the next command runs if this one succeeds. */
export function placeAfter(command: SimpleCommand, place: Place): Place {
  const { argv } = command;
  const [name, to = "", ...more] = argv;
  if (!moves(command)) return place;
  if (name !== "cd" || more.length > 0) return "anywhere";
  if (ABSOLUTE_FOLDER.test(to))
    return typeof place === "string" ? "anywhere" : { folder: `${to.replace(/(?<!\/)\/+$/, "")}/` };
  if (typeof place === "string") return goesDown(command) ? place : "anywhere";
  if (goesDown(command) || (UPWARDS.test(to) && ONLY_UP.test(place.folder)))
    return { folder: `${place.folder}${to.replace(/(?<!\/)\/+$/, "")}/` };
  return "anywhere";
}

const ABSOLUTE_FOLDER = /^\/(?!.*(?:^|\/)\.\.(?:\/|$))[^*?[{]*$/;
/** First up, then down. After a way down, up leads elsewhere than the words where there are links. */
const UPWARDS = /^(?:\.\.\/)*\.\.(?:\/+(?!(?:.*\/)?\.\.(?:\/|$))[^*?[{]*)?$/;
const ONLY_UP = /^(?:\.\.\/)*$/;

/** A file that cannot be determined may be any file. */
export function placed(path: string, place: Place): string {
  if (path.startsWith("/")) return path;
  if (typeof place !== "string") return place.folder + path;
  return place === "beneath" && !/(?:^|\/)\.\.(?:\/|$)/.test(path) ? "**" : "/**";
}

/** Whether a path names a folder below: no way up, no other root, nothing that a shell would expand. */
function isFolderBelow(path: string): boolean {
  return /^(?![/~-])(?!(?:.*\/)?\.\.(?:\/|$))[^*?[{]+$/.test(path);
}

export function isSamePlace(one: Place, other: Place): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
