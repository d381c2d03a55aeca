import { homedir } from "node:os";
import { isAbsolute, join, sep } from "node:path";
import { canonicalPath } from "@toolkeep/node/internal";
import type { Project } from "../project/read-project.ts";
import type { DryRunCall, HookCall } from "./hook-call.ts";

/** The same calls with their paths from where the client is. */
export async function placedCalls(
  { calls, cwd }: Pick<HookCall, "calls" | "cwd">,
  { root, config }: Pick<Project, "root" | "config">,
): Promise<readonly DryRunCall[]> {
  const roots = await Promise.all([root, ...config.roots].map((one) => canonicalPath(one)));
  const placed = await Promise.all(calls.map((call) => placedCall(call, { cwd, roots })));
  return placed.flat();
}

interface CallPlace {
  readonly cwd: string;
  /** Canonical; the first is the project. */
  readonly roots: readonly string[];
}

async function placedCall(call: DryRunCall, { cwd, roots }: CallPlace): Promise<readonly DryRunCall[]> {
  const { path, workdir, ...rest } = call.arguments;
  if (call.tool === "bash") {
    const folder = typeof workdir === "string" ? fromFolder(workdir, cwd) : cwd;
    const real = await canonicalPath(folder);
    if (real === roots[0]) return [{ tool: "bash", arguments: rest }];
    const moved: DryRunCall = { tool: "bash", arguments: { ...rest, workdir: folder } };
    // Most commands read where they run, whatever their words say.
    return roots.some((root) => isWithin(real, root))
      ? [moved]
      : [moved, { tool: "grep", arguments: { path: folder } }];
  }
  if (typeof path === "string") return [{ ...call, arguments: { ...rest, path: fromFolder(path, cwd) } }];
  const isSearch = call.tool === "glob" || call.tool === "grep" || call.tool === "list";
  return isSearch ? [{ ...call, arguments: { ...rest, path: cwd } }] : [call];
}

function isWithin(path: string, root: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}

/** Not joined by its words where it is absolute; `~` is taken as most clients take it. */
function fromFolder(path: string, folder: string): string {
  if (path === "~" || path.startsWith("~/")) return join(homedir(), path.slice(1));
  return isAbsolute(path) ? path : `${folder}/${path}`;
}
