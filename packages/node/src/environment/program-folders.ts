import { readFileSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isWithin } from "@toolkeep/core/internal";
import { namesIn, realOf } from "../files/entries.ts";

type Values = Readonly<Record<string, string | undefined>>;

/**
 * The folders that the programs in a folder of the search path need: the whole installation if it is one, and the data of the version manager whose programs they are. Absolute and free of links.
 */
export function programFolders(folder: string, home: string, values: Values): readonly string[] {
  const around = dirname(folder);
  const installation = isInstallation(folder, around, home) ? [around] : [];
  const data = MANAGERS.filter(({ has }) => has(folder, home, values)).flatMap(({ needs }) =>
    needs(home, values),
  );
  return [...installation, ...data.flatMap(real)];
}

/** What installations have next to their programs, and nothing else is next to them. */
const INSTALLED =
  /^(?:s?bin|lib(?:32|64|exec)?|share|include|etc|man|conda-meta|ssl|compiler_compat|shell|x86_64-\S+|(?:CHANGELOG|LICENSE|README|NOTICE|VERSION|release)\S*|\..*)$/;

/** What programs keep for a user: a folder with one of these is a home. */
const OF_A_HOME =
  /^\.(?:config|local|cache|ssh|gnupg|aws|azure|kube|docker|mozilla|thunderbird|pki|npm|bash\w*|zsh\w*|profile|\w+_history)$/;

/** `bin` of an installation: its libraries are next to it. A folder of the user with other things in it is none. */
function isInstallation(folder: string, around: string, home: string): boolean {
  if (!/^s?bin$/.test(basename(folder)) || isWithin(home, around) || OF_THE_USER.has(basename(around)))
    return false;
  const names = namesIn(around);
  if (names.includes("Cellar")) return true;
  return (
    names.some((name) => /^lib(?:32|64|exec)?$/.test(name)) &&
    names.every((name) => INSTALLED.test(name) && !OF_A_HOME.test(name))
  );
}

/** What servers that Homebrew installs keep in an installation: databases, for example. */
export function dataIn(installation: string): readonly string[] {
  return namesIn(installation).includes("Cellar") ? real(join(installation, "var")) : [];
}

/** Folders in which programs keep data and credentials next to `bin`. */
const OF_THE_USER: ReadonlySet<string> = new Set([".local", ".cargo", ".bun", ".deno", "go", ".docker"]);

interface Manager {
  has(folder: string, home: string, values: Values): boolean;
  needs(home: string, values: Values): readonly string[];
}

function manager(inside: (home: string, values: Values) => string, needs: Manager["needs"]): Manager {
  return { has: (folder, home, values) => isWithin(folder, realOf(inside(home, values))), needs };
}

/** The folder that a variable names, or the usual one. */
function named(variable: string, usual: string) {
  return (home: string, values: Values) => {
    const given = values[variable];
    return given?.startsWith("/") === true ? given : join(home, usual);
  };
}

const cargo = named("CARGO_HOME", ".cargo");
const rustup = named("RUSTUP_HOME", ".rustup");
const volta = named("VOLTA_HOME", ".volta");
const asdf = named("ASDF_DATA_DIR", ".asdf");
const mise = named("MISE_DATA_DIR", ".local/share/mise");
const pyenv = named("PYENV_ROOT", ".pyenv");
const rbenv = named("RBENV_ROOT", ".rbenv");
const nodenv = named("NODENV_ROOT", ".nodenv");

const MISE_SETTINGS = ".config/mise/config.toml";

/** Among settings of all kinds of programs, one that was looked into. */
export function isSettingsOfPrograms(path: string): boolean {
  return path.endsWith(`/${MISE_SETTINGS}`);
}

/** Never a folder with credentials or settings: of those only single files that have none. */
const MANAGERS: readonly Manager[] = [
  manager(cargo, (home, values) => [
    ...["toolchains", "settings.toml"].map((name) => join(rustup(home, values), name)),
    ...["registry", "git"].map((name) => join(cargo(home, values), name)),
  ]),
  manager(volta, (home, values) => [volta(home, values)]),
  manager(asdf, (home, values) => [asdf(home, values), join(home, ".tool-versions")]),
  manager(mise, (home, values) => [
    mise(home, values),
    ...[MISE_SETTINGS, ".tool-versions"].map((name) => join(home, name)).filter(hasNoValues),
  ]),
  manager(pyenv, (home, values) => [pyenv(home, values)]),
  manager(rbenv, (home, values) => [rbenv(home, values)]),
  manager(nodenv, (home, values) => [nodenv(home, values)]),
  manager(
    (home) => join(home, ".local/bin"),
    (home) =>
      [".local/lib", ".local/pipx", ".local/share/pipx", ".local/share/uv"].map((name) => join(home, name)),
  ),
  {
    // Programs of Node start package managers that Node keeps there.
    has: (folder) => namesIn(folder).includes("node"),
    needs: (home, values) => [values["COREPACK_HOME"] ?? join(home, ".cache/node/corepack")],
  },
];

/** Names of variables by which these programs find their folders. Their values are paths. */
export const MANAGER_VARIABLES: readonly string[] = [
  ...["CARGO_HOME", "RUSTUP_HOME", "VOLTA_HOME", "ASDF_DATA_DIR", "ASDF_DIR", "MISE_DATA_DIR", "PYENV_ROOT"],
  ...["RBENV_ROOT", "NODENV_ROOT", "COREPACK_HOME", "PNPM_HOME", "NVM_BIN", "FNM_DIR", "HOMEBREW_PREFIX"],
];

/** Settings of mise may set variables for all projects, with secrets among them. */
function hasNoValues(path: string): boolean {
  try {
    return !/^\s*\[\s*["']?(?:env|vars)\b|^\s*env\s*=|_\.(?:file|source)/m.test(readFileSync(path, "utf8"));
  } catch {
    return false;
  }
}

function real(path: string): readonly string[] {
  try {
    const found = realpathSync.native(path);
    return statSync(found) === undefined ? [] : [found];
  } catch {
    return [];
  }
}
