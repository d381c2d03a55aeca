import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { isWithin } from "@toolkeep/core/internal";
import { canonicalPath } from "@toolkeep/node/internal";
import type { DryRunCall, HookCall } from "../../../clients/hook-call.ts";
import type { Project } from "../../../project/read-project.ts";

/** The calls with their paths resolved from the client's working directory. */
export async function resolvedCalls(
  { calls, cwd }: Pick<HookCall, "calls" | "cwd">,
  { root, config }: Pick<Project, "root" | "config">,
): Promise<readonly DryRunCall[]> {
  const roots = await Promise.all([root, ...config.roots].map((one) => canonicalPath(one)));
  const resolved = await Promise.all(calls.map((call) => resolvedCall(call, { cwd, roots })));
  return resolved.flat();
}

interface CallBase {
  readonly cwd: string;
  /** Canonical paths; the first is the project. */
  readonly roots: readonly string[];
}

async function resolvedCall(call: DryRunCall, { cwd, roots }: CallBase): Promise<readonly DryRunCall[]> {
  const { path, workdir, ...rest } = call.arguments;
  if (call.tool === "bash") {
    const folder = typeof workdir === "string" ? fromFolder(workdir, cwd) : cwd;
    const real = await canonicalPath(folder);
    if (real === roots[0]) return [{ tool: "bash", arguments: rest }];
    const moved: DryRunCall = { tool: "bash", arguments: { ...rest, workdir: folder } };
    // Most commands read their working directory, whatever their arguments are.
    return roots.some((root) => isWithin(real, root))
      ? [moved]
      : [moved, { tool: "grep", arguments: { path: folder } }];
  }
  if (typeof path === "string") return [{ ...call, arguments: { ...rest, path: fromFolder(path, cwd) } }];
  const isSearch = call.tool === "glob" || call.tool === "grep" || call.tool === "list";
  return isSearch ? [{ ...call, arguments: { ...rest, path: cwd } }] : [call];
}

/** Does not normalize an absolute path. `~` is the home directory, as in most clients. */
function fromFolder(path: string, folder: string): string {
  if (path === "~" || path.startsWith("~/")) return join(homedir(), path.slice(1));
  return isAbsolute(path) ? path : `${folder}/${path}`;
}
