import { chmodSync, closeSync, constants, fstatSync, openSync, type Stats } from "node:fs";

/** Holds a thing without reading it, which takes no right to it. Not among the constants of Node. */
const THING_ITSELF = 0o10000000 | constants.O_NOFOLLOW;

/**
 * Changes who may do what with the very thing that was looked at, and with no other one that is put in its place.
 * Nothing is changed where no mode is said.
 * @throws the error of the file system, as for what belongs to another user.
 */
export function changeMode(place: string, modeFor: (stats: Stats) => number | undefined): void {
  const thing = openSync(place, THING_ITSELF);
  try {
    const mode = modeFor(fstatSync(thing));
    // A descriptor of this kind has no `fchmod`; its name leads to the very thing it stands for.
    if (mode !== undefined) chmodSync(`/proc/self/fd/${thing}`, mode);
  } finally {
    closeSync(thing);
  }
}
