import { readdirSync } from "node:fs";
import { ToolFailure } from "@toolkeep/core";

/**
 * Refuses a missing name if the folder has an entry that is canonically equivalent (the same in Unicode NFC), as two
 * ways to write `é` are, or the sign for kelvin and the letter K. Some programs open that entry where there is none of
 * the very name, while rules compare names as they are written: nobody could tell which of the two is meant.
 * @throws ToolFailure `invalid_arguments`; an error of the file system if the folder cannot be listed.
 */
export function refuseOtherSpelling(folder: string, name: string): void {
  if (!MAY_HAVE_OTHERS.test(name)) return;
  const wanted = name.normalize("NFC");
  const names = readdirSync(folder === "" ? "/" : folder);
  // A name on the disk that is no valid text looks like this one, and is not.
  if (!names.some((one) => one !== name && one.normalize("NFC") === wanted)) return;
  throw new ToolFailure(
    "invalid_arguments",
    `There is no ${JSON.stringify(`${folder}/${name}`)}, but one whose name is spelled in another way (Unicode).`,
    { hint: "List the folder, and give the name exactly as it is written there, or choose another." },
  );
}

/** No other text is equivalent to one of ASCII, but for these three characters. Most folders need not be listed. */
const MAY_HAVE_OTHERS = /[^\0-\x7f]|[K;`]/;
