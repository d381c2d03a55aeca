import { join } from "node:path";
import { assertKnownKeys } from "@toolkeep/core/internal";
import type { AgentDefinition } from "@toolkeep/core/ports";
import { namesInFolder, type OwnedFolder, textInFolder } from "../../owned-files/owned-folder.ts";
import { FIND_OPTIONS, type FindOptions, foldersOf } from "../trust/trusted-folders.ts";
import type { AgentDiagnostic, ReadAgent } from "./read-agent.ts";

/** Options of {@link findAgents}. */
export type FindAgentsOptions = FindOptions;

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

/**
 * Finds agents (`.toolkeep/agents/<name>.md`) of a trusted project and of the user. Those of the project come first; of
 * several with one name the first is used.
 *
 * @example
 * const { agents, diagnostics } = await findAgents({ project: ".", trust: createProjectTrust() });
 */
export async function findAgents(options: FindAgentsOptions): Promise<FolderAgents> {
  assertKnownKeys(options, FIND_OPTIONS, "option of findAgents");
  const { folders, ...untrusted } = await foldersOf(options);
  const found = new Map<string, FoundAgent>();
  const diagnostics: AgentDiagnostic[] = [];
  for (const location of folders) {
    const here = await agentsIn({ ...location, folder: join(location.folder, FOLDER) });
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
    ...untrusted,
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
