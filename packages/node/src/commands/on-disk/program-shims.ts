import { CHOOSING_FILES, type ChoosingFile } from "./choosing-files.ts";

/** A version manager that puts itself in place of programs, and asks the project which one to start. */
export interface Shim {
  /** Where a link of the program ends. */
  readonly end?: RegExp;
  /** What the script says that is in place of the program. */
  readonly script?: RegExp;
  /** The folder of its data by the variable that names it, by its usual place in the home, and its shims in there. */
  readonly folder?: readonly [variable: string, usual: string, shims: string];
  readonly follows: readonly ChoosingFile[];
  /** It starts a program of the same name that the project has installed, except for these. */
  readonly localExcept?: RegExp;
}

const { versions, toolVersions, mise, miseSettings, proto, vfox, manifest, corepack, rustup, gemfile, aqua } =
  CHOOSING_FILES;
const OF_MISE = [mise, miseSettings, toolVersions, versions, manifest, gemfile, rustup];

/** `pyenv`, `rbenv`, `nodenv`, `goenv`, `jenv`, `phpenv`, `plenv` and their relatives: one design, one kind of script. */
const ENV_FAMILY = "py rb nod go j ph pl lua r scala sc ex cr swift tf"
  .split(" ")
  .map((start) => `${start}env`);

/** Sources: the documentation of each; mise 2026.9.15 was run. */
export const SHIMS: readonly Shim[] = [
  {
    end: /\/(?:mise|rtx)$/,
    script: /\b(?:mise|rtx)["']? (?:x|exec)\b/,
    folder: ["MISE_DATA_DIR", ".local/share/mise", "shims"],
    follows: OF_MISE,
  },
  { folder: ["RTX_DATA_DIR", ".local/share/rtx", "shims"], follows: OF_MISE },
  {
    script: /\basdf["']? exec\b|^# asdf-plugin: /m,
    folder: ["ASDF_DATA_DIR", ".asdf", "shims"],
    follows: [toolVersions, versions],
  },
  ...ENV_FAMILY.map(
    (name): Shim => ({
      script: new RegExp(`\\b${name}["']? exec\\b`),
      folder: [`${name.toUpperCase()}_ROOT`, `.${name}`, "shims"],
      follows: [versions, manifest],
    }),
  ),
  {
    end: /\/volta(?:-shim)?$/,
    script: /\bvolta["']? run\b/,
    folder: ["VOLTA_HOME", ".volta", "bin"],
    follows: [manifest],
    localExcept: /^(?:node|npm|npx|pnpm|yarn)$/,
  },
  { end: /\/corepack\/(?:dist|shims)\//, script: /\bcorepack\b/, follows: [corepack, manifest] },
  {
    end: /\/proto(?:-shim)?$/,
    script: /\bproto["']? run\b/,
    folder: ["PROTO_HOME", ".proto", "shims"],
    follows: [proto, versions, manifest],
  },
  { end: /\/rustup(?:-init)?$/, follows: [rustup] },
  { end: /\/vfox$/, folder: ["VFOX_HOME", ".version-fox", "shims"], follows: [vfox, toolVersions, versions] },
  { end: /\/aqua-proxy$/, folder: ["AQUA_ROOT_DIR", ".local/share/aquaproj-aqua", "bin"], follows: [aqua] },
];

/** One of a kind that is not known may follow any of these files. */
export const UNKNOWN_SHIM: Shim = { follows: Object.values(CHOOSING_FILES) };

/** Programs that are no scripts: a script of that name stands for one. */
export const NEVER_SCRIPTS: ReadonlySet<string> = new Set(
  "node python python3 ruby go java cargo rustc php perl deno bun jq rg gh".split(" "),
);
