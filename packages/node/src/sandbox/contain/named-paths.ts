import { existsSync } from "node:fs";
import { join } from "node:path";
import { isWithin } from "@toolkeep/core/internal";
import { SYSTEM_PATHS } from "../host/system-folders.ts";
import { projectState } from "./layer/open-layer.ts";

const NAMED =
  /(?<![\w.:/@~}-])(?:~|\$HOME\b|\$\{HOME\})?\/[\w.@+=:,~/-]*|(?<![\w.:/@-])(?:~|\$HOME\b|\$\{HOME\})(?![\w/])/g;
const TEMPORARY = /^\/(?:var\/)?tmp(?:\/([^/]+)|$)/;
/** Each place has its own. */
const OWN = ["/dev", "/proc", "/sys"];

interface NamingLine {
  /** Where places are kept. */
  readonly folder: string;
  readonly project: string;
  readonly home: string;
  /** What commands of the place see besides the system. */
  readonly roots: readonly string[];
}

/** Where what a line names is: in the `place` alone, or on the `machine` where no command of the place sees it. */
export function namedElsewhere(line: string, options: NamingLine): "place" | "machine" | undefined {
  const { folder, project, home, roots } = options;
  const temporary = join(projectState(folder, project).folder, "tmp");
  const shown = [...roots, ...SYSTEM_PATHS, ...OWN];
  let found: "place" | undefined;
  for (const [name] of line.matchAll(NAMED)) {
    const path = join("/", name.replace(/^(?:~|\$HOME\b|\$\{HOME\})/, home));
    const [isTemporary, entry] = TEMPORARY.exec(path) ?? [];
    if (entry !== undefined && existsSync(join(temporary, entry))) found = "place";
    else if (isTemporary !== undefined && entry === undefined) continue;
    else if (path !== "/" && !shown.some((one) => isWithin(path, one)) && existsSync(path)) return "machine";
  }
  return found;
}
