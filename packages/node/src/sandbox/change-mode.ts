import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  lchmodSync,
  lstatSync,
  openSync,
  type Stats,
} from "node:fs";
import { O_PATH } from "../files/pinned-folder.ts";

/**
 * Changes who may do what with the very thing that was looked at, and with no other one that is put in its place.
 * Nothing is changed where no mode is said.
 * @throws the error of the file system, as for what belongs to another user.
 */
export function changeMode(place: string, modeFor: (stats: Stats) => number | undefined): void {
  if (process.platform === "linux") changeHeld(place, modeFor);
  else changeByName(place, modeFor);
}

function changeHeld(place: string, modeFor: (stats: Stats) => number | undefined): void {
  // Holds a thing without reading it, which takes no right to it.
  const thing = openSync(place, O_PATH | constants.O_NOFOLLOW);
  try {
    const mode = modeFor(fstatSync(thing));
    // A descriptor of this kind has no `fchmod`; its name leads to the very thing it stands for.
    if (mode !== undefined) chmodSync(`/proc/self/fd/${thing}`, mode);
  } finally {
    closeSync(thing);
  }
}

/**
 * For macOS, where nothing can be held without a right to read it. Weaker: no link is followed, but something else may
 * be put in the place of what was looked at. Untested.
 */
function changeByName(place: string, modeFor: (stats: Stats) => number | undefined): void {
  const mode = modeFor(lstatSync(place));
  if (mode !== undefined) lchmodSync(place, mode);
}
