import { join } from "node:path";
import type { Registry } from "@toolkeep/core";
import { DISCOVERY_RULES, invalidOption, isWithin, toolFolder } from "@toolkeep/core/internal";
import { directories } from "../../environment/directories.ts";
import { realOf } from "../../files/entries.ts";
import type { FolderDiagnostic } from "../trust/folder-diagnostic.ts";
import type { ToolAddress } from "../trust/list-tool-files.ts";
import type { ProjectTrust } from "../trust/project-trust.ts";
import { surveyFiles } from "../trust/survey-imports.ts";
import type { FolderToolsChanges } from "./folder-tools.ts";
import { revokeImports } from "./guarded-imports.ts";
import type { FolderLimits } from "./load-tool-file.ts";
import { ToolFolder } from "./tool-folder.ts";
import { type FileWatch, watchFiles } from "./watch-files.ts";

export interface ToolFoldersOptions {
  readonly registry: Registry;
  /** Decides about projects. The user's own folder needs no decision. */
  readonly trust: Pick<ProjectTrust, "of">;
  /** The folder of the user's tools. Default: `tools` in the user's configuration directory. `false`: none. */
  readonly userFolder?: string | false;
  /** Users whose files may be loaded in addition to this user's and root's. */
  readonly owners?: readonly number[];
  readonly limits?: Partial<FolderLimits>;
  /** Watches the files, so that `reload` looks at them only if something changed. */
  readonly watch?: boolean;
  /** With `watch`: called when a burst of changes is over. */
  onDirty?(): void;
}

/** What a folder source did, and everything that is wrong right now. */
interface FolderReport extends FolderToolsChanges {
  readonly errors: readonly FolderDiagnostic[];
  /** Why nothing of the project is loaded, if one was entered. */
  readonly untrusted?: string;
}

/** Tools from the user's folder and from that of one project at a time. */
export interface ToolFolders extends AsyncDisposable {
  /** Loads the user's tools. */
  start(): Promise<FolderReport>;
  /** Loads the tools in `.toolkeep/tools` of a project, once it is trusted. Leaves the one before. */
  enter(project: string): Promise<FolderReport>;
  /** Takes away the project's tools, and no others. */
  leave(): Promise<FolderReport>;
  /** Call it between turns: the next turn sees what changed. */
  reload(): Promise<FolderReport>;
  /** Takes away all that came from here. */
  close(): Promise<void>;
  /**
   * What the project's tools are made of outside of `.toolkeep`: files, and the folders of packages. Absolute, free
   * of links. It runs in this process, so commands should not write to it: \`guarded: () => source.imports\` of a
   * workspace sees to that.
   */
  readonly imports: readonly string[];
  /** Whether `reload` may have something to do. Always, where nothing is watched. */
  readonly isDirty: boolean;
}

const UNCHANGED: FolderToolsChanges = { added: [], changed: [], removed: [] };

/**
 * Keeps a registry in step with folders of tools. Nothing of a project is looked at before it is trusted.
 * @throws ToolkeepError `invalid_option` for a limit that is not a number above 0.
 */
export function openToolFolders(options: ToolFoldersOptions): ToolFolders {
  const source = new Folders(options);
  let last: Promise<unknown> = Promise.resolve();
  // One after the other: two that change the registry at once would undo each other.
  const inTurn = <Result>(act: () => Promise<Result>): Promise<Result> => {
    const next = last.then(act);
    last = next.catch(() => undefined);
    return next;
  };
  const close = () => inTurn(async () => source.close());
  return {
    start: () => inTurn(() => source.start()),
    enter: (project) => inTurn(() => source.enter(project)),
    leave: () => inTurn(async () => source.leave()),
    reload: () => inTurn(() => source.reload()),
    close,
    [Symbol.asyncDispose]: close,
    get imports() {
      return source.imports;
    },
    get isDirty() {
      return source.isDirty;
    },
  };
}

class Folders {
  readonly #options: ToolFoldersOptions;
  readonly #limits: FolderLimits;
  readonly #watch: FileWatch | undefined;
  #user: ToolFolder | undefined;
  #project: ToolFolder | undefined;
  #entered: string | undefined;
  #untrusted: string | undefined;

  constructor(options: ToolFoldersOptions) {
    this.#options = options;
    this.#limits = checkedLimits(options.limits);
    this.#watch = options.watch === true ? watchFiles(() => options.onDirty?.()) : undefined;
  }

  get isDirty(): boolean {
    // What a tool was refused is to be asked about, although no file changed.
    return (this.#watch?.isDirty ?? true) || (this.#project?.late.size ?? 0) > 0;
  }

  get imports(): readonly string[] {
    const { watched = [], packages = [] } = this.#project ?? {};
    const paths = [...[...watched].map(realOf), ...packages];
    const own = join(this.#project?.folder ?? "", "..");
    return [...new Set(paths)].filter((path) => !isWithin(path, own)).toSorted();
  }

  async start(): Promise<FolderReport> {
    const { userFolder = join(directories().config, toolFolder("user")) } = this.#options;
    if (userFolder === false) return this.#report(UNCHANGED);
    this.#user ??= this.#open({ layer: "user", folder: userFolder });
    return this.#settled(await this.#user.refresh());
  }

  async enter(project: string): Promise<FolderReport> {
    const left = this.#clearProject();
    this.#entered = project;
    return this.#settled(together(left, await this.#refreshProject()));
  }

  leave(): FolderReport {
    return this.#settled(this.#clearProject());
  }

  async reload(): Promise<FolderReport> {
    if (!this.isDirty) return this.#report(UNCHANGED);
    this.#watch?.looked();
    const user = (await this.#user?.refresh()) ?? UNCHANGED;
    return this.#settled(together(user, await this.#refreshProject()));
  }

  close(): void {
    this.#clearProject();
    this.#user?.clear();
    this.#user = undefined;
    this.#watch?.close();
  }

  /** Asks for trust each time: what was added since is not what was trusted. */
  async #refreshProject(): Promise<FolderToolsChanges> {
    let changes = UNCHANGED;
    let uncovered: ReadonlyMap<string, string> = new Map(this.#project?.late);
    while (this.#entered !== undefined) {
      const asked = uncovered;
      const verdict = await this.#options.trust.of(this.#entered, () => this.#withImports(asked));
      const folder = join(verdict.project, toolFolder("project"));
      if (!verdict.isTrusted) {
        revokeImports(folder);
        changes = together(changes, this.#clearProject());
        this.#untrusted = verdict.reason;
        return changes;
      }
      this.#untrusted = undefined;
      const { project, covers } = verdict;
      this.#project ??= this.#open({ layer: "project", folder, beneath: project });
      changes = together(changes, await this.#project.refresh(covers));
      uncovered = this.#project.uncovered;
      // A file that is imported under a computed name is known only when it is imported.
      if ([...uncovered].every(([path, hash]) => asked.get(path) === hash)) return changes;
    }
    return changes;
  }

  /** What was refused, and what that imports by name in its turn, so that one question names it all. */
  async #withImports(refused: ReadonlyMap<string, string>): Promise<ReadonlyMap<string, string>> {
    const found = await surveyFiles(refused.keys(), this.#options.owners ?? []);
    return new Map([...refused, ...found]);
  }

  #clearProject(): FolderToolsChanges {
    const changes = this.#project?.clear() ?? UNCHANGED;
    this.#project = undefined;
    this.#entered = undefined;
    this.#untrusted = undefined;
    return changes;
  }

  #open(address: Omit<ToolAddress, "owners">): ToolFolder {
    const { registry, owners = [] } = this.#options;
    return new ToolFolder({ ...address, owners, registry, limits: this.#limits });
  }

  #settled(changes: FolderToolsChanges): FolderReport {
    const open = [this.#user, this.#project].filter((one) => one !== undefined);
    this.#watch?.settled(
      open.map(({ folder }) => folder),
      open.flatMap(({ watched }) => [...watched]),
    );
    return this.#report(changes);
  }

  #report(changes: FolderToolsChanges): FolderReport {
    const untrusted = this.#untrusted;
    return {
      ...changes,
      errors: [...(this.#user?.errors ?? []), ...(this.#project?.errors ?? [])],
      ...(untrusted === undefined ? {} : { untrusted }),
    };
  }
}

function together(one: FolderToolsChanges, other: FolderToolsChanges): FolderToolsChanges {
  return {
    added: [...one.added, ...other.added],
    changed: [...one.changed, ...other.changed],
    removed: [...one.removed, ...other.removed],
  };
}

function checkedLimits(limits: Partial<FolderLimits> = {}): FolderLimits {
  const checked = { ...DISCOVERY_RULES.limits, ...limits };
  for (const [name, value] of Object.entries(checked)) {
    if (Number.isInteger(value) && value > 0) continue;
    throw invalidOption(`The limit \`${name}\` must be a whole number above 0.`);
  }
  return checked;
}
