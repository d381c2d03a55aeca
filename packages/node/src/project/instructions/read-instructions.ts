import { lstat, realpath } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import type { Diagnostic } from "@toolkeep/core";
import { assertKnownKeys, invalidOption, isWithin } from "@toolkeep/core/internal";
import { readOwnedFile } from "../../owned-files/read-owned-file.ts";
import type { ProjectTrust } from "../trust/project-trust.ts";

/** Options of `readInstructions`. */
export interface ReadInstructionsOptions {
  /** The project. Nothing of it is read before it is trusted. */
  readonly project: string;
  /** Decides about the project. */
  readonly trust: Pick<ProjectTrust, "of">;
  /** The folder in the project that the agent works in. Default: the project. */
  readonly folder?: string;
  /** How many bytes of instructions there are at most, together. Default: 32,768. */
  readonly mostBytes?: number;
  /** Users whose files are accepted in addition to this user's and root's. */
  readonly owners?: readonly number[];
}

/** What the `AGENTS.md` files of a project say: a part of a prompt. */
export interface ProjectInstructions {
  /** The name of the part. */
  readonly name: string;
  /** The files with their paths, from the project down to the folder; empty if there are none. */
  text(): string;
  /** The files that are in the text, relative to the project. */
  readonly files: readonly string[];
  /** Which files are left out or cut, and why. */
  readonly errors: readonly Diagnostic[];
  /** Why nothing of the project is there. */
  readonly untrusted?: string;
}

const OPTIONS = [
  "project",
  "trust",
  "folder",
  "mostBytes",
  "owners",
] as const satisfies (keyof ReadInstructionsOptions)[];

const NAME = "AGENTS.md";
const MOST_BYTES = 32_768;
/** A file that is larger is not even opened. */
const LARGEST_FILE = 1_000_000;
const DEEPEST = 32;

/**
 * Reads the `AGENTS.md` files of a trusted project, from its root down to the folder that the agent works in. They are
 * read once, so that the prompt stays the same for as long as the agent works. Where there is too much, the nearest
 * files stay whole; what is left out is named in the text.
 * @throws ToolkeepError `invalid_option` for a folder outside of the project.
 *
 * @example
 * const project = await readInstructions({ project: root, trust, folder: process.cwd() });
 * const agent = await createAgent({ model, tools, policy, prompt: promptParts({ project }) });
 */
export async function readInstructions(options: ReadInstructionsOptions): Promise<ProjectInstructions> {
  assertKnownKeys(options, OPTIONS, "option of readInstructions");
  const { trust, mostBytes = MOST_BYTES, owners = [] } = options;
  const verdict = await trust.of(options.project);
  if (!verdict.isTrusted) return partOf("", { untrusted: verdict.reason });
  const { project } = verdict;
  const folder = await folderIn(project, options.folder ?? project);
  const errors: Diagnostic[] = [];
  const found: Found[] = [];
  for (const path of pathsBetween(project, folder)) {
    if (await isOtherRepository(dirname(path), project)) {
      errors.push(notRead(path, OTHER_REPOSITORY));
      break;
    }
    const file = await readOwnedFile(path, { mostBytes: LARGEST_FILE, beneath: project, owners });
    if (file === undefined) continue;
    const name = relative(project, path).split(sep).join("/");
    if (file.error === undefined) found.push({ name, path, text: file.text.replace(/^\uFEFF/, "").trim() });
    else errors.push(notRead(path, `Refused: ${file.error}.`));
  }
  return fitted(found, mostBytes, errors);
}

const OTHER_REPOSITORY =
  "Not read: its folder is a repository of its own, which the trust in this project does not cover. To have it read, trust that one and give it as `project`.";

async function isOtherRepository(folder: string, project: string): Promise<boolean> {
  if (folder === project) return false;
  return lstat(join(folder, ".git")).then(
    () => true,
    () => false,
  );
}

interface Found {
  readonly name: string;
  readonly path: string;
  readonly text: string;
}

async function folderIn(project: string, folder: string): Promise<string> {
  const real = await realpath(folder).catch(() => undefined);
  if (real !== undefined && isWithin(real, project)) return real;
  throw invalidOption(`The folder ${folder} is not in the project ${project}.`);
}

/** The root first: what is nearer comes later and applies where the two differ. */
function pathsBetween(project: string, folder: string): readonly string[] {
  const segments = relative(project, folder).split(sep).filter(Boolean).slice(0, DEEPEST);
  return [[], ...segments.map((_, index) => segments.slice(0, index + 1))].map((down) =>
    join(project, ...down, NAME),
  );
}

/** As much as fits, the nearest first; in the text they stay in their order. */
function fitted(found: readonly Found[], mostBytes: number, errors: Diagnostic[]): ProjectInstructions {
  let left = mostBytes;
  const sections: string[] = [];
  const files: string[] = [];
  for (const { name, path, text } of found.toReversed()) {
    const size = Buffer.byteLength(text);
    const shown = size <= left ? text : headOf(text, left);
    left -= Buffer.byteLength(shown);
    if (size === 0) continue;
    if (shown !== "") files.unshift(name);
    if (shown === text) sections.unshift(`From ${name}:\n\n${text}`);
    else {
      const note = `[${Buffer.byteLength(shown)} of ${size} bytes of ${name} are shown. Read the file for the rest.]`;
      sections.unshift(shown === "" ? note : `From ${name}:\n\n${shown}\n${note}`);
      errors.push(notRead(path, `Cut: the instructions together may have ${mostBytes} bytes.`));
    }
  }
  if (sections.length === 0) return partOf("", { errors });
  return partOf([HEADING, ...sections].join("\n\n"), { files, errors });
}

const HEADING =
  "# Instructions of the project\nThe nearest to the working folder come last. Where two differ, the later one applies.";

/** Whole lines. */
function headOf(text: string, bytes: number): string {
  const head = Buffer.from(text).subarray(0, bytes).toString("utf8");
  return head.slice(0, Math.max(0, head.lastIndexOf("\n"))).trimEnd();
}

function notRead(file: string, message: string): Diagnostic {
  return { code: "instructions_not_read", file, message };
}

function partOf(
  text: string,
  {
    files = [],
    errors = [],
    untrusted,
  }: Partial<Pick<ProjectInstructions, "files" | "errors" | "untrusted">>,
): ProjectInstructions {
  return Object.freeze<ProjectInstructions>({
    ...{ name: NAME, text: () => text, files, errors },
    ...(untrusted === undefined ? {} : { untrusted }),
  });
}
