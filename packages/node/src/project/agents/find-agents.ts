import { homedir } from "node:os";
import { join } from "node:path";
import { assertKnownKeys } from "@toolkeep/core/internal";
import type { AgentDefinition } from "@toolkeep/core/ports";
import { namesInFolder, type OwnedFolder, textInFolder } from "../../owned-files/owned-folder.ts";
import type { ProjectTrust } from "../trust/project-trust.ts";
import type { AgentDiagnostic, ReadAgent } from "./read-agent.ts";

/** Options of {@link findAgents}. */
export interface FindAgentsOptions {
  /** The project whose agents are wanted. They are looked for once it is trusted, and not before. */
  readonly project?: string;
  /** Decides about the project. */
  readonly trust: Pick<ProjectTrust, "of">;
  /** The user's own folder, where it is not the home folder; none of the user's agents with `false`. */
  readonly user?: string | false;
  /** Users whose files are accepted in addition to this user's and root's. */
  readonly owners?: readonly number[];
}

/** Agents from folders, for `createAgent({ agents })`. */
export interface FolderAgents {
  /** Those of the project first, each by the name of its file. */
  readonly agents: readonly AgentDefinition[];
  /** What is wrong with files, and where: such a file is no agent. */
  readonly diagnostics: readonly AgentDiagnostic[];
  /** Why nothing of the project is there, if one was given. */
  readonly untrusted?: string;
}

const FOLDER = ".toolkeep/agents";
const OPTIONS = ["project", "trust", "user", "owners"] as const satisfies (keyof FindAgentsOptions)[];

/**
 * Finds agents (`.toolkeep/agents/<name>.md`) of a trusted project and of the user. Those of the project come first; of
 * several with one name the first is used.
 *
 * @example
 * const { agents, diagnostics } = await findAgents({ project: ".", trust: createProjectTrust() });
 */
export async function findAgents(options: FindAgentsOptions): Promise<FolderAgents> {
  assertKnownKeys(options, OPTIONS, "option of findAgents");
  const { trust, project, owners = [], user = homedir() } = options;
  const verdict = project === undefined ? undefined : await trust.of(project);
  const folders: OwnedFolder[] = [];
  if (verdict?.isTrusted === true) {
    const beneath = verdict.project;
    folders.push({ folder: join(beneath, FOLDER), beneath, owners, covers: verdict.covers });
  }
  if (user !== false) folders.push({ folder: join(user, FOLDER), owners });
  const found = new Map<string, FoundAgent>();
  const diagnostics: AgentDiagnostic[] = [];
  for (const location of folders) {
    const here = await agentsIn(location);
    diagnostics.push(...here.diagnostics);
    for (const one of here.agents) {
      const first = found.get(one.agent.name);
      if (first === undefined) found.set(one.agent.name, one);
      else diagnostics.push(refused(one.file, `The name ${one.agent.name} is taken by ${first.file}.`));
    }
  }
  return Object.freeze<FolderAgents>({
    agents: [...found.values()].map(({ agent }) => agent),
    diagnostics,
    ...(verdict?.isTrusted === false ? { untrusted: verdict.reason } : {}),
  });
}

interface FoundAgent {
  readonly agent: AgentDefinition;
  readonly file: string;
}

const MOST_AGENTS = 100;
const MOST_BYTES = 256_000;
const FILE = /^([^.].*)\.md$/;

/** The agents in one folder, in the order of their files. */
async function agentsIn(location: OwnedFolder) {
  const { folder } = location;
  const { names, error } = await namesInFolder(location, { is: FILE, most: MOST_AGENTS });
  const agents: FoundAgent[] = [];
  const diagnostics: AgentDiagnostic[] = error === undefined ? [] : [refused(folder, error)];
  for (const name of names) {
    const file = join(folder, name);
    const read = await openAgent(file, FILE.exec(name)?.[1] ?? "", location);
    diagnostics.push(...read.diagnostics);
    if (read.agent !== undefined) agents.push({ agent: read.agent, file });
  }
  return { agents, diagnostics };
}

async function openAgent(path: string, stem: string, location: OwnedFolder): Promise<ReadAgent> {
  const { text, error } = await textInFolder(path, location, MOST_BYTES);
  if (text === undefined)
    return { diagnostics: [refused(path, error ?? "It was removed while agents were read.")] };
  // With its parser, which most processes do not need.
  const { readAgent } = await import("./read-agent.ts");
  return readAgent(text, path, stem);
}

function refused(file: string, message: string): AgentDiagnostic {
  return { code: "agent_not_loaded", file, message };
}
