import { join, normalize } from "node:path";
import { defined } from "@toolkeep/core/internal";
import type { EffectMap } from "../effect-maps/effect-map.ts";
import { checkEffectMap } from "./check-effect-map.ts";
import type { ServerSettings } from "./server-entry.ts";
import { type SettingsDiagnostic, type ValuePath, WrittenValues } from "./written-values.ts";

/** The validated contents of one settings file, with absolute paths. */
export interface WrittenSettings {
  readonly servers: Readonly<Record<string, ServerSettings>>;
  readonly maps: readonly EffectMap[];
}

export interface PathPlaces {
  readonly home: string;
  /** The base of relative paths; without it a path must be absolute or begin with `~/`. */
  readonly project?: string;
}

export interface CheckedSettings {
  readonly settings: WrittenSettings;
  /** If there is any error, nothing of the file is applied. */
  readonly errors: readonly SettingsDiagnostic[];
}

/** Validates the contents of a settings file. Unknown keys are errors. */
export function checkSettings(value: unknown, directories: PathPlaces): CheckedSettings {
  const written = new WrittenValues();
  const root = written.record(value, [], ["$schema", "servers", "maps"]);
  const servers = written.record(root["servers"] ?? {}, ["servers"]);
  const settings = {
    servers: Object.fromEntries(
      Object.entries(servers).map(([name, one]) => [
        name,
        serverSettings(written, one, { name, directories }),
      ]),
    ),
    maps: written
      .list(root["maps"] ?? [], ["maps"])
      .map((map, index) => checkEffectMap(written, map, ["maps", index])),
  };
  return { settings, errors: written.errors };
}

const SETTINGS_KEYS = [
  "map",
  "files",
  "sandbox",
  "plainHttp",
  "isPrivate",
  "timeoutMs",
  "longestMs",
] as const;

function serverSettings(
  written: WrittenValues,
  value: unknown,
  { name, directories }: { readonly name: string; readonly directories: PathPlaces },
): ServerSettings {
  const path = ["servers", name];
  const { map, files, sandbox, plainHttp, isPrivate, timeoutMs, longestMs } = written.record(
    value,
    path,
    SETTINGS_KEYS,
  );
  return defined({
    map: map === undefined || map === false ? map : written.text(map, [...path, "map"]),
    files:
      files === undefined
        ? undefined
        : paths(written, files, { path: [...path, "files"], directories, arePatterns: true }),
    sandbox:
      sandbox === undefined
        ? undefined
        : profileOf(written, sandbox, { path: [...path, "sandbox"], directories }),
    plainHttp: plainHttp === undefined ? undefined : written.flag(plainHttp, [...path, "plainHttp"]),
    isPrivate: isPrivate === undefined ? undefined : written.flag(isPrivate, [...path, "isPrivate"]),
    timeoutMs: timeoutMs === undefined ? undefined : written.count(timeoutMs, [...path, "timeoutMs"]),
    longestMs: longestMs === undefined ? undefined : written.count(longestMs, [...path, "longestMs"]),
  });
}

interface PathsOf {
  readonly path: ValuePath;
  readonly directories: PathPlaces;
  /** Whether `{workspace}` and the like are allowed in them. */
  readonly arePatterns?: true;
}

function profileOf(
  written: WrittenValues,
  value: unknown,
  { path, directories }: PathsOf,
): NonNullable<ServerSettings["sandbox"]> {
  const { read, write, hosts } = written.record(value, path, ["read", "write", "hosts"]);
  return {
    read: read === undefined ? [] : paths(written, read, { path: [...path, "read"], directories }),
    write: write === undefined ? [] : paths(written, write, { path: [...path, "write"], directories }),
    hosts: hosts === "any" ? "any" : written.texts(hosts ?? [], [...path, "hosts"]),
  };
}

function paths(
  written: WrittenValues,
  value: unknown,
  { path, directories, arePatterns }: PathsOf,
): readonly string[] {
  return written.texts(value, path).map((text, index) => {
    if (text === "~" || text.startsWith("~/")) return join(directories.home, text.slice(1));
    if (text.startsWith("/") || (arePatterns && text.startsWith("{"))) return normalize(text);
    if (directories.project !== undefined) return join(directories.project, text);
    written.error([...path, index], "A path must be absolute, or begin with `~/`.");
    return text;
  });
}
