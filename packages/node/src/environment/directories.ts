import { homedir } from "node:os";
import { posix, win32 } from "node:path";
import { invalidOption } from "@toolkeep/core/internal";

/** The directories of a user that belong to Toolkeep alone. */
export interface Directories {
  /** Configuration and tools, written by the user. */
  readonly config: string;
  /** Trust and journals: they must survive, but are not copied to another machine. */
  readonly state: string;
  readonly data: string;
  /** May be deleted at any time. */
  readonly cache: string;
  /** The socket of the decider. Only what decides where the policy is decides where it is. */
  readonly run: string;
  /** The configuration of the administrator, which overrides all others. */
  readonly managedConfig: string;
}

export interface DirectoryOptions {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly home?: string;
  readonly platform?: NodeJS.Platform;
}

/**
 * Where things are kept: `TOOLKEEP_HOME` if it is set, else after the XDG conventions, on macOS too;
 * on Windows in the folders for application data. Never reads or makes a folder.
 * @throws ToolkeepError `invalid_option` if `TOOLKEEP_HOME` or the home folder is not absolute.
 */
export function directories(options: DirectoryOptions = {}): Directories {
  const { env = process.env, platform = process.platform } = options;
  const path = platform === "win32" ? win32 : posix;
  const managedConfig = managedConfigFile(platform);
  const own = env["TOOLKEEP_HOME"];
  if (own !== undefined && own !== "") {
    assertAbsolute("TOOLKEEP_HOME", own, path.isAbsolute(own));
    const beneath = (name: string) => path.join(own, name);
    return {
      config: beneath("config"),
      state: beneath("state"),
      data: beneath("data"),
      cache: beneath("cache"),
      run: path.join(own, "state", "run"),
      managedConfig,
    };
  }
  const home = options.home ?? homeFolder();
  assertAbsolute("The home folder", home, path.isAbsolute(home));
  return {
    ...(platform === "win32" ? windowsDirectories(env, home) : xdgDirectories(env, home)),
    managedConfig,
  };
}

/** The user's own, as far as there is one. @throws ToolkeepError `invalid_option` for a user without any. */
function homeFolder(): string {
  try {
    return homedir();
  } catch (cause) {
    throw invalidOption("This user has no home folder; set `TOOLKEEP_HOME`.", {
      cause,
    });
  }
}

type UserDirectories = Omit<Directories, "managedConfig">;
type Variables = Readonly<Record<string, string | undefined>>;

function xdgDirectories(env: Variables, home: string): UserDirectories {
  const directory = (name: string, otherwise: string) => {
    const given = env[name];
    // The XDG specification says to ignore a relative path.
    const folder = given !== undefined && posix.isAbsolute(given) ? given : posix.join(home, otherwise);
    return posix.join(folder, "toolkeep");
  };
  return {
    config: directory("XDG_CONFIG_HOME", ".config"),
    state: directory("XDG_STATE_HOME", ".local/state"),
    data: directory("XDG_DATA_HOME", ".local/share"),
    cache: directory("XDG_CACHE_HOME", ".cache"),
    run: posix.join(home, ".local/state/toolkeep/run"),
  };
}

function windowsDirectories(env: Variables, home: string): UserDirectories {
  const directory = (name: string, otherwise: string, ...rest: readonly string[]) => {
    const given = env[name];
    const folder = given !== undefined && win32.isAbsolute(given) ? given : win32.join(home, otherwise);
    return win32.join(folder, "toolkeep", ...rest);
  };
  return {
    config: directory("APPDATA", "AppData\\Roaming"),
    state: directory("LOCALAPPDATA", "AppData\\Local", "state"),
    data: directory("LOCALAPPDATA", "AppData\\Local", "data"),
    cache: directory("LOCALAPPDATA", "AppData\\Local", "cache"),
    run: directory("LOCALAPPDATA", "AppData\\Local", "run"),
  };
}

/** Never from the environment: a user who sets a variable must not be able to switch this configuration off. */
function managedConfigFile(platform: NodeJS.Platform): string {
  if (platform === "win32") return "C:\\ProgramData\\toolkeep\\config.jsonc";
  if (platform === "darwin") return "/Library/Application Support/toolkeep/config.jsonc";
  return "/etc/toolkeep/config.jsonc";
}

function assertAbsolute(name: string, given: string, isAbsolute: boolean): void {
  if (isAbsolute) return;
  throw invalidOption(`${name} must be an absolute path, not ${JSON.stringify(given)}.`);
}
