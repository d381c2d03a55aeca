import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { unlessThrown } from "@toolkeep/core/internal";

const MOST_BYTES = 64 * 2 ** 20;
const HEADER = 8;
const FANOUT = 256 * 4;

/** The ids of the objects in a pack, in order, as its index lists them; `undefined` for what is no index that we read. */
function idsIn(index: string): readonly string[] | undefined {
  const bytes = unlessThrown(() => readFileSync(index));
  if (bytes === undefined || bytes.length > MOST_BYTES || bytes.length < HEADER + FANOUT) return undefined;
  if (bytes.readUInt32BE(0) !== 0xff744f63 || bytes.readUInt32BE(4) !== 2) return undefined;
  const count = bytes.readUInt32BE(HEADER + FANOUT - 4);
  // A pack of SHA-256 is named by more digits.
  const size = /-[0-9a-f]{64}\.idx$/.test(index) ? 32 : 20;
  const start = HEADER + FANOUT;
  if (bytes.length < start + count * size) return undefined;
  return Array.from({ length: count }, (_, at) =>
    bytes.toString("hex", start + at * size, start + (at + 1) * size),
  );
}

/** Of a path in the folder of a repository. */
export type IsPacked = (rest: string) => boolean;

/**
 * Whether new packs have all the objects that a change takes away: one of the files `objects/1f/…`, a folder of them, or
 * a pack with its index.
 */
export function packedObjects(store: { readonly upper: string; readonly below: string }): IsPacked {
  const packs = join(store.upper, "objects/pack");
  const names = unlessThrown(() => readdirSync(packs)) ?? [];
  const isWhole = (name: string) => names.includes(name.replace(/\.idx$/, ".pack"));
  const indexes = names.filter((name) => name.endsWith(".idx") && isWhole(name));
  const packed = new Set(indexes.flatMap((name) => idsIn(join(packs, name)) ?? []));
  return (rest) => {
    if (packed.size === 0) return false;
    const [, folder = "", name] = /^objects\/([0-9a-f]{2})(?:\/([0-9a-f]+))?$/.exec(rest) ?? [];
    if (name !== undefined) return packed.has(folder + name);
    if (folder !== "")
      return readdirSync(join(store.below, "objects", folder)).every((one) => packed.has(folder + one));
    const index = join(store.below, rest.replace(/\.pack$/, ".idx"));
    return idsIn(index)?.every((id) => packed.has(id)) === true;
  };
}
