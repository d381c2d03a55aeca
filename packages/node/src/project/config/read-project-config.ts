import { readOwnedFile } from "../../owned-files/read-owned-file.ts";
import { sha256 } from "../../owned-files/sha256.ts";
import type { KnownProject, TrustVerdict } from "../trust/project-trust.ts";
import type { ConfigDiagnostic, PolicyPath } from "./config.ts";
import { ConfigDiagnostics } from "./config-diagnostics.ts";
import {
  type ConfigFile,
  type FoundFiles,
  MOST_CONFIG_BYTES,
  policyCandidates,
  projectCandidates,
  projectFiles,
  type ReadingOptions,
  readConfigFile,
} from "./config-files.ts";
import { readConfigText, type Statement } from "./read-config-text.ts";

/** The settings of a project's files that apply. */
export interface ProjectReading extends Pick<FoundFiles, "rivals"> {
  readonly statements: readonly Statement[];
  readonly diagnostics: readonly ConfigDiagnostic[];
  /** Files that apply as a whole: by path, with their text. */
  readonly autoExecuted: ReadonlyMap<string, string>;
}

export interface ProjectReadingOptions extends Omit<ReadingOptions, "covers"> {
  readonly project: string;
  readonly cwd: string;
}

const START = { line: 1, column: 1 };

/**
 * Reads the configuration of a project and the policies that it names, each once. A project that is not trusted sets
 * nothing, unless it was trusted before: then files that did not change apply as before, and of the others what
 * narrows, both as it was trusted and as it is now.
 */
export async function readProjectConfig(
  verdict: TrustVerdict,
  options: ProjectReadingOptions,
): Promise<ProjectReading> {
  const reader = new ProjectReader(verdict, options);
  const known = verdict.isTrusted ? undefined : verdict.known;
  if (!verdict.isTrusted && known === undefined) return { ...reader, rivals: [] };
  const { project, cwd } = options;
  const { files, rivals } = await projectFiles(project, cwd);
  for (const file of files) await reader.file(file);
  const gone = projectCandidates(project, cwd)
    .flat()
    .filter(({ file }) => known?.kept.has(file) && !files.some((other) => other.file === file));
  for (const file of gone) await reader.narrowed(file, []);
  const { statements, diagnostics, autoExecuted } = reader;
  return { statements, diagnostics, autoExecuted, rivals };
}

const RELATIVE = "A path is relative to its file. In `.toolkeep`, the folder around it is next.";

class ProjectReader {
  readonly statements: Statement[] = [];
  readonly diagnostics: ConfigDiagnostic[] = [];
  readonly autoExecuted = new Map<string, string>();
  readonly #options: ProjectReadingOptions;
  readonly #known: KnownProject | undefined;
  readonly #covers: (path: string, hash: string) => boolean;

  constructor(verdict: TrustVerdict, options: ProjectReadingOptions) {
    this.#options = options;
    this.#known = verdict.isTrusted ? undefined : verdict.known;
    const covers = verdict.isTrusted ? verdict.covers : verdict.known?.covers;
    this.#covers = (path, hash) => covers?.(path, hash) !== false;
  }

  async file(config: ConfigFile): Promise<void> {
    const { file } = config;
    const isKnown = this.#known !== undefined;
    const covers = isKnown ? undefined : this.#covers;
    const { statements, diagnostics, hash, text } = await readConfigFile(config, {
      ...this.#options,
      covers,
    });
    if (isKnown && !(hash !== undefined && this.#covers(file, hash)))
      return this.narrowed(config, statements);
    this.diagnostics.push(...diagnostics);
    if (text !== undefined) this.autoExecuted.set(file, text);
    for (const statement of statements) await this.#add(statement, "whole");
  }

  /** For a file that is not what was trusted: its settings then and its settings now. */
  async narrowed(config: ConfigFile, now: readonly Statement[]): Promise<void> {
    const { file } = config;
    const kept = this.#known?.kept.get(file);
    if (kept === undefined && this.#known?.names(file) === true) return this.#lost(file);
    this.#warn(file);
    for (const statement of now.filter(({ path }) => narrows(path) && path[0] !== "mode"))
      await this.#add(statement, "in part");
    const diagnostics = new ConfigDiagnostics(file);
    const then = kept === undefined ? [] : readConfigText(kept, { ...config, ...this.#options, diagnostics });
    for (const statement of then.filter(({ path }) => narrows(path))) await this.#add(statement, "in part");
  }

  async #add(statement: Statement, how: "whole" | "in part"): Promise<void> {
    if (statement.path.join(".") !== "policy") this.statements.push(statement);
    else
      for (const policy of await this.#policies(statement, how))
        this.statements.push({ ...statement, value: policy.path, policy });
  }

  async #policies(
    { value, file, position }: Statement,
    how: "whole" | "in part",
  ): Promise<readonly Omit<PolicyPath, "layer">[]> {
    const { path, found, others } = await this.#policy(String(value), file);
    const text = found?.error === undefined ? found?.text : undefined;
    const isCovered = text !== undefined && this.#covers(path, sha256(text));
    if (isCovered && how === "whole") {
      this.autoExecuted.set(path, text);
      return [{ path, text }];
    }
    if (this.#known === undefined) {
      const gone = ["it is not there", ...others.map((other) => `nor is ${other}`)].join(", ");
      const why = found === undefined ? gone : (found.error ?? "it is not what was trusted");
      const hint = found === undefined ? RELATIVE : undefined;
      return this.#refuse(file, position, `The policy ${path} is refused: ${why}.`, hint) ?? [];
    }
    const kept = isCovered ? undefined : this.#known.kept.get(path);
    if (!isCovered && kept === undefined && this.#known.names(path)) return this.#lost(path) ?? [];
    if (!isCovered) this.#warn(path);
    // The trusted configuration named a policy, so the recommended rules did not apply.
    const isNew = how === "in part" && !isCovered && kept === undefined;
    return [
      ...(text === undefined
        ? []
        : [{ path, text, narrows: isNew ? ("added" as const) : ("changed" as const) }]),
      ...(kept === undefined ? [] : [{ path, text: kept, narrows: "changed" as const }]),
    ];
  }

  /** The policy that a path means: the one that was trusted, even where it is gone, since it forbade something. */
  async #policy(named: string, config: string) {
    const { project, owners } = this.#options;
    const candidates = policyCandidates(named, config);
    const known = candidates.filter((path) => this.#known?.names(path) || this.#known?.kept.has(path));
    for (const path of new Set([...known, ...candidates])) {
      const found = await readOwnedFile(path, { mostBytes: MOST_CONFIG_BYTES, beneath: project, owners });
      if (found !== undefined || known.length > 0) return { path, found, others: [] };
    }
    const [path = named, ...others] = candidates;
    return { path, found: undefined, others };
  }

  #warn(file: string): void {
    const diagnostics = new ConfigDiagnostics(file);
    diagnostics.warn(
      START,
      "The file is not what was trusted: of its settings now and then, only those that narrow apply.",
      "Look at it, and trust the project again.",
    );
    this.diagnostics.push(...diagnostics.all);
  }

  /** Whatever it forbade would be allowed. */
  #lost(file: string): undefined {
    const message = "It changed since it was trusted, and what it forbade then was not kept.";
    return this.#refuse(file, START, message, "Look at it, and trust the project again.");
  }

  #refuse(file: string, position: Statement["position"], message: string, hint?: string): undefined {
    const diagnostics = new ConfigDiagnostics(file);
    diagnostics.error(position, message, hint);
    this.diagnostics.push(...diagnostics.all);
    return undefined;
  }
}

/** What takes away and never gives. A project may set `mode`, `sandbox.required` and `enabled` to the strictest alone. */
function narrows(path: readonly string[]): boolean {
  const [first = "", , setting] = path;
  return NARROWING.has(path.join(".")) || (first === "tools" && setting === "enabled");
}

const NARROWING: ReadonlySet<string> = new Set([
  ...["policy", "allowed", "denied", "mode", "sandbox.required", "redaction.shapes"],
]);
