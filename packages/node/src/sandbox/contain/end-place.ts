import { lstatSync } from "node:fs";
import { join } from "node:path";
import { projectState } from "./layer/open-layer.ts";
import { endPlace as end } from "./place/open-place.ts";

/** Ends what contained commands of a project left running; whether something did. */
export async function endPlace(folder: string, project: string): Promise<boolean> {
  const at = join(projectState(folder, project).folder, "place");
  const stats = lstatSync(at, { throwIfNoEntry: false });
  if (stats === undefined) return false;
  return end({ folder: at, project, user: { uid: stats.uid, gid: stats.gid } });
}
