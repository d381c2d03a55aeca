import { lstat, readdir, realpath } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { assertKnownKeys, isWithin } from "@toolkeep/core/internal";
import type { AgentDefinition } from "@toolkeep/core/ports";
import { ownershipError } from "../owned-files/ownership-error.ts";
import { codeOf, readOwnedFile } from "../owned-files/read-owned-file.ts";
import type { ProjectTrust } from "../trust/project-trust.ts";
import { sha256 } from "../trust/sha256.ts";
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
  const folders: AgentFolder[] = [];
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

/** A folder of agents, and who may have written it. */
interface AgentFolder {
  readonly folder: string;
  /** A canonical folder that nothing in it may lead out of. */
  readonly beneath?: string;
  readonly owners: readonly number[];
  /** Whether a file with this hash is what was trusted. Default: every file is. */
  readonly covers?: ((path: string, hash: string) => boolean) | undefined;
}

interface FoundAgent {
  readonly agent: AgentDefinition;
  readonly file: string;
}

interface FoundAgents {
  readonly agents: readonly FoundAgent[];
  readonly diagnostics: readonly AgentDiagnostic[];
}

const MOST_AGENTS = 100;
const MOST_BYTES = 256_000;
const FILE = /^([^.].*)\.md$/;

/** The agents in one folder, in the order of their files. A missing folder is empty. */
async function agentsIn(location: AgentFolder): Promise<FoundAgents> {
  const { folder } = location;
  const error = await folderError(location);
  if (error === "absent") return { agents: [], diagnostics: [] };
  if (error !== undefined) return { agents: [], diagnostics: [refused(folder, `Refused: ${error}.`)] };
  const names = (await readdir(folder).catch(() => [])).filter((name) => FILE.test(name)).toSorted();
  const agents: FoundAgent[] = [];
  const diagnostics: AgentDiagnostic[] = [];
  if (names.length > MOST_AGENTS)
    diagnostics.push(refused(folder, `Only the first ${MOST_AGENTS} of ${names.length} are looked at.`));
  for (const name of names.slice(0, MOST_AGENTS)) {
    const file = join(folder, name);
    const read = await openAgent(file, FILE.exec(name)?.[1] ?? "", location);
    diagnostics.push(...read.diagnostics);
    if (read.agent !== undefined) agents.push({ agent: read.agent, file });
  }
  return { agents, diagnostics };
}

async function openAgent(path: string, stem: string, location: AgentFolder): Promise<ReadAgent> {
  const { beneath, owners, covers } = location;
  const limits = { mostBytes: MOST_BYTES, owners, ...(beneath === undefined ? {} : { beneath }) };
  const file = await readOwnedFile(path, limits);
  if (file === undefined) return { diagnostics: [refused(path, "It was removed while agents were read.")] };
  if (file.error !== undefined) return { diagnostics: [refused(path, `Refused: ${file.error}.`)] };
  if (covers?.(path, sha256(file.text)) === false)
    return { diagnostics: [refused(path, "Refused: it is not what was trusted.")] };
  // With its parser, which most processes do not need.
  const { readAgent } = await import("./read-agent.ts");
  return readAgent(file.text, path, stem);
}

function refused(file: string, message: string): AgentDiagnostic {
  return { code: "agent_not_loaded", file, message };
}

/** Everyone who can write to a folder can put an agent there. */
async function folderError({ folder, beneath, owners }: AgentFolder): Promise<string | undefined> {
  try {
    const real = await realpath(folder);
    if (beneath !== undefined && !isWithin(real, beneath))
      return "it is a link that leads out of the project";
    return ownershipError(await lstat(real), owners);
  } catch (error) {
    const code = codeOf(error);
    return code === "ENOENT" || code === "ENOTDIR" ? "absent" : `it cannot be read (${code})`;
  }
}
