import type { Effect } from "@toolkeep/core";
import { changesVersionsOnly, editedScriptNames, fsWrite } from "@toolkeep/core/internal";

/** Of a `package.json` it matters which scripts change, and whether anything but versions does, as far as the texts tell. */
export function editing(path: string, before: string, after: string): Effect {
  if (!/(?:^|\/)package\.json$/i.test(path)) return fsWrite(path);
  const scripts = editedScriptNames(before, after);
  return {
    ...fsWrite(path),
    ...(scripts === undefined ? {} : { scripts }),
    ...(changesVersionsOnly(before, after) ? { versionsOnly: true } : {}),
  };
}
