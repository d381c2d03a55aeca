import { CHOOSING_FILES, type ChoosingFile } from "./choosing-files.ts";

/** A version manager that puts itself in place of programs, and asks the project which one to start. */
export interface Shim {
  /** Where a link of the program ends. */
  readonly end?: RegExp;
  /** What the script says that is in place of the program. */
  readonly script?: RegExp;
  /** Folders of its data by the variable that names it, by its usual place in the home, and the shims in there. */
  readonly folders?: readonly (readonly [variable: string, usual: string, shims: string])[];
  readonly follows: readonly ChoosingFile[];
  /** It starts a program of the same name that the project has installed, except for these. */
  readonly localExcept?: RegExp;
}

const {
  versions,
  toolVersions,
  mise,
  miseSettings,
  proto,
  vfox,
  manifest,
  corepack,
  rustup,
  gemfile,
  aqua,
  variables,
} = CHOOSING_FILES;
const OF_MISE = [mise, miseSettings, toolVersions, versions, manifest, gemfile, rustup];

/** Sources: the documentation of each; mise 2026.9.15 was run. */
export const SHIMS: readonly Shim[] = [
  {
    end: /\/(?:mise|rtx)$/,
    script: /\b(?:mise|rtx)["']? (?:x|exec)\b/,
    folders: [["MISE_DATA_DIR", ".local/share/mise", "shims"]],
    follows: OF_MISE,
  },
  { folders: [["RTX_DATA_DIR", ".local/share/rtx", "shims"]], follows: OF_MISE },
  {
    script: /\basdf["']? exec\b|^# asdf-plugin: /m,
    folders: [["ASDF_DATA_DIR", ".asdf", "shims"]],
    follows: [toolVersions, versions],
  },
  {
    // One design, and one kind of script.
    script: /\b(?:py|rb|nod|go|j|ph|pl|lua|r|scala|ex|cr|swift|tf)env["']? exec\b/,
    folders: [
      ["PYENV_ROOT", ".pyenv", "shims"],
      ["RBENV_ROOT", ".rbenv", "shims"],
      ["NODENV_ROOT", ".nodenv", "shims"],
      ["GOENV_ROOT", ".goenv", "shims"],
      ["JENV_ROOT", ".jenv", "shims"],
      ["PHENV_ROOT", ".phenv", "shims"],
      ["PLENV_ROOT", ".plenv", "shims"],
      ["LUAENV_ROOT", ".luaenv", "shims"],
      ["RENV_ROOT", ".renv", "shims"],
      ["SCALAENV_ROOT", ".scalaenv", "shims"],
      ["EXENV_ROOT", ".exenv", "shims"],
      ["CRENV_ROOT", ".crenv", "shims"],
      ["SWIFTENV_ROOT", ".swiftenv", "shims"],
      ["TFENV_ROOT", ".tfenv", "shims"],
    ],
    follows: [versions, manifest, variables],
  },
  {
    end: /\/volta(?:-shim)?$/,
    script: /\bvolta["']? run\b/,
    folders: [["VOLTA_HOME", ".volta", "bin"]],
    follows: [manifest],
    localExcept: /^(?:node|npm|npx|pnpm|yarn)$/,
  },
  { end: /\/corepack\/(?:dist|shims)\//, script: /\bcorepack\b/, follows: [corepack, manifest] },
  {
    end: /\/proto(?:-shim)?$/,
    script: /\bproto["']? run\b/,
    folders: [["PROTO_HOME", ".proto", "shims"]],
    follows: [proto, versions, manifest],
  },
  { end: /\/rustup(?:-init)?$/, follows: [rustup] },
  {
    end: /\/vfox$/,
    folders: [["VFOX_HOME", ".version-fox", "shims"]],
    follows: [vfox, toolVersions, versions],
  },
  {
    end: /\/aqua-proxy$/,
    folders: [["AQUA_ROOT_DIR", ".local/share/aquaproj-aqua", "bin"]],
    follows: [aqua],
  },
];

/** One of a kind that is not known may follow any of these files. */
export const UNKNOWN_SHIM: Shim = { follows: Object.values(CHOOSING_FILES) };

/** Programs that are no scripts: a script of that name stands for one. */
export const NEVER_SCRIPTS: ReadonlySet<string> = new Set(
  "node python python3 ruby go java cargo rustc php perl deno bun jq rg gh".split(" "),
);
