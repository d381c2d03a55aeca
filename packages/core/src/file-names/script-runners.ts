import { expression, listIn, rowsByName, SCRIPT_RUNNERS as table } from "@toolkeep/catalog/internal";

/** Hooks of git, which run what other files of the project say. */
export const HOOKS = listIn(table.hooks);

/** They run scripts of a `package.json`. */
export const PACKAGE_MANAGERS = listIn(table.packageManagers);

/** Commands of `pip` that read no settings of the project: every package is named. */
export const INSTALLS_BY_NAME = expression(table.installsByName);

/** Programs that run what stands in files of these names. Some settings name plug-ins, or code that is loaded first. */
export const RUNNERS = rowsByName(table.runners, listIn);

/** Programs that load the settings of another. */
export const LOADED_BY = rowsByName(table.loadedBy, listIn);

export const HOOK_FOLDERS: ReadonlySet<string> = new Set([".husky", ".githooks", ".lefthook"]);

/** Code that a tool executes before it does its work, or that names such code: `vitest.config.ts`, `.eslintrc.json`. */
export const CONFIGURATION =
  /^(?:([\w-]+)\.(?:config|workspace|setup)\.[cm]?[jt]sx?|\.([\w-]+)rc(?:\.(?:[cm]?[jt]s|json[5c]?|ya?ml|toml))?)$/;

/** Run where a command or a script names them. */
export const SCRIPT = /\.(?:sh|bash|zsh|fish|ps1|bat|cmd|mk)$/;

/** By the end of their names. A program that was built has none. */
export const SOURCE =
  /\.(?:[cm]?[jt]sx?|py|rb|rake|php|pl|t|go|lua|jl|exs?|dart|r|jar|java)$|(?:^|\/)[^/.]+$/i;

export const SCRIPT_FOLDERS: ReadonlySet<string> = new Set(["scripts", "script", "bin", "tasks", "hack"]);
