import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { createRegistry, createSession, type Registry } from "@toolkeep/core";
import { temporaryFolder } from "../../../../../tests/temporary-folder.ts";
import { createProjectTrust, type TrustAnswer, type TrustRequest } from "../trust/project-trust.ts";
import { trustStore } from "../trust/trust-store.ts";
import { openToolFolders, type ToolFoldersOptions } from "./open-tool-folders.ts";

/** A user's folder and a project in a temporary folder, with a registry and tool folders for them. */
export function projectOnDisk(top = temporaryFolder()) {
  const project = join(top, "project");
  const userFolder = join(top, "config", "tools");
  mkdirSync(project);
  const asked: TrustRequest[] = [];
  return {
    top,
    project,
    userFolder,
    asked,
    /** The path of a tool file in the project. */
    tool: (name: string) => join(project, ".toolkeep", "tools", name),
    open(answer: TrustAnswer = "trust", options: Partial<ToolFoldersOptions> = {}) {
      const registry = createRegistry();
      const decide = (request: TrustRequest) => {
        asked.push(request);
        return answer;
      };
      const trust = createProjectTrust({ store: trustStore(join(top, "state", "trust.json")), decide });
      const source = openToolFolders({ registry, trust, userFolder, limits: { loadMs: 30_000 }, ...options });
      return { registry, source, trust };
    },
  };
}

export type ProjectOnDisk = ReturnType<typeof projectOnDisk>;

/** A tool in TypeScript that must be compiled: an enum and a parameter property. */
export function toolText(name: string, says = name): string {
  return `import { defineTool } from "@toolkeep/core";
enum Word { Said = ${JSON.stringify(says)} }
class Speaker { constructor(readonly word: string) {} }
export default defineTool({ ${fieldsOf(name)}, execute: () => new Speaker(Word.Said).word });
`;
}

/** What a tool needs besides \`execute\`, as text. */
export function fieldsOf(name: string): string {
  return `name: ${JSON.stringify(name)}, description: "Says a word.", inputSchema: { type: "object" }, requires: {}, gated: false, mode: "read"`;
}

/** What a tool answers when a session with these tools calls it. */
export async function said(registry: Registry, name: string): Promise<unknown> {
  const rules = [{ action: "allow", permission: "*", scope: "session" }] as const;
  const session = await createSession({ registry, policy: rules });
  const result = await session.call({ id: "1", name, arguments: {} });
  await session.close();
  return result.ok ? result.data : result.failure?.code;
}

export function namesIn(registry: Registry): readonly string[] {
  return registry
    .list()
    .map(({ name }) => name)
    .toSorted();
}
