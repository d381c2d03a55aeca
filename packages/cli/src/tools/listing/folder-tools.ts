import { join } from "node:path";
import type { Registry } from "@toolkeep/core";
import { defined } from "@toolkeep/core/internal";
import { createProjectTrust, openToolFolders } from "@toolkeep/node";
import { directories } from "@toolkeep/node/internal";
import type { Project } from "../../project/read-project.ts";
import type { ClosedSource } from "./listed-tool.ts";

/**
 * Loads the tools of the user's folder, and those of the project if it is trusted as it is now. Loading a file runs its
 * top level, as at the start of a session; no tool is prepared or called. Returns the files that are not loaded.
 */
export async function loadFolderTools(
  { root }: Project,
  registry: Registry,
): Promise<readonly ClosedSource[]> {
  // Not closed: that would take the tools out of the registry, and nothing is watched.
  const folders = openToolFolders({ registry, trust: createProjectTrust({ again: "changed" }) });
  await folders.start();
  const { errors } = await folders.enter(root);
  // Tools that the registry refuses are listed by their names.
  const refused = new Set(
    registry.diagnostics.map(
      ({ subject, message }) => `The tool ${JSON.stringify(subject)} is refused: ${message}`,
    ),
  );
  const others = errors.filter(({ message }) => !refused.has(message));
  const { critical } = registry;
  return others.map(({ layer, file, line, message, hint }) => {
    const path = join(layer === "user" ? directories().config : join(root, ".toolkeep"), file);
    return {
      name: path,
      origin: { layer: layer === "user" ? "user" : "project", source: "folder", file: path },
      state: "off",
      why: line === undefined ? message : `Line ${line}: ${message}`,
      ...defined({
        category: critical.find((one) => one.file === file && one.message === message)?.category,
      }),
      fix: hint ?? `Fix ${path}.`,
    };
  });
}
