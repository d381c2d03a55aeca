import { isHarmlessAssignment } from "../../plain/harmless-assignments.ts";

/** Files of a project, in the case that some disks pass over, from which a shim takes the program that it starts. */
export interface ChoosingFile {
  /** The path from the folder that is looked at. */
  readonly name: RegExp;
  /** Whether the text only picks versions, or sets what changes no program. */
  isOrdinary(text: string): boolean;
}

/** `22.1.0`, `lts/*`, `latest`, `>=20 <23`, `3.12.1/envs/web`; never a path, an address, a template or `ref:`. */
const VERSION = String.raw`(?!\.)(?:lts/[\w*-]+|[\w.-]+/envs/[\w.-]+|(?:(?:latest|prefix|sub-[\d.]+):)?[\w.+~^*<>=|@ -]*)`;
const ONE_VERSION = VERSION.replace("@ -", "@-");
/** A tool of the manager's own registry. With any other prefix the file says whose program is downloaded. */
const TOOL = String.raw`(?:(?:core|aqua):)?@?\w[\w@-]*(?:[./][\w@-]+)*`;
const QUOTED = `(?:"${VERSION}"|'${VERSION}')`;
const TOML_KEY = `(?:${TOOL}|"${TOOL}"|'${TOOL}')`;
/** Three quotes would begin a text of several lines. */
const VALUE = `(?:[\\w-]+|"[\\w-]+"|'[\\w-]+')`;
const LIST = String.raw`\[(?:\s*${QUOTED}\s*,?)*\s*\]?`;
const OPTIONS = String.raw`\{\s*version\s*=\s*(?:${QUOTED}|${LIST})\s*(?:,\s*os\s*=\s*${LIST}\s*)?\}`;
const TOOL_LINE = whole(
  String.raw`${TOML_KEY}\s*=\s*(?:${QUOTED}|${LIST}|${OPTIONS}|[\d.]+)|${QUOTED}\s*,?|\]`,
);

function whole(source: string): RegExp {
  return new RegExp(`^(?:${source})$`);
}

/** Lines without what follows a `#`, which no ordinary value has. */
function linesOf(text: string): readonly string[] {
  return text
    .split(/\r?\n/)
    .map((line) => line.replace(/(?:^|\s)#.*$/, "").trim())
    .filter((line) => line !== "");
}

function eachLine(ordinary: RegExp): ChoosingFile["isOrdinary"] {
  return (text) => linesOf(text).every((line) => ordinary.test(line));
}

type Section = readonly [name: RegExp, isOrdinary: (line: string) => boolean];

/** A section that is not listed may decide anything. Text within a longer string is read as if it were none. */
function eachSection(sections: readonly Section[]): ChoosingFile["isOrdinary"] {
  return (text) => {
    let name = "";
    return linesOf(text).every((line) => {
      const header = /^\[{1,2}([^[\]]+)\]{1,2}(?:#.*)?$/.exec(line)?.[1];
      if (header !== undefined) name = header.replaceAll(/["'\s]/g, "");
      const section = sections.find(([known]) => known.test(name));
      return section !== undefined && (header !== undefined || section[1](line));
    });
  };
}

const line = (source: string) => (text: string) => whole(source).test(text);
const tools = (text: string) => TOOL_LINE.test(text);
const variables = (text: string) => {
  const [, name, value] = /^([A-Z_]+)\s*=\s*["']?([^"']*)["']?$/.exec(text) ?? [];
  return name !== undefined && isHarmlessAssignment(`${name}=${value}`);
};

/** Seen with mise 2026.9.15: it takes `path:` without having been told to trust the file, and reads no task. */
const MISE = eachSection([
  [/^$/, line(String.raw`min_version\s*=\s*(?:${QUOTED}|\{(?:\s*\w+\s*=\s*${QUOTED}\s*,?)*\s*\})`)],
  [/^tools$/, tools],
  [/^tools\.[^.]+$/, line(String.raw`(?:version|os)\s*=\s*(?:${QUOTED}|${LIST})`)],
  [/^tasks(?:\..+)?$|^task_config$/, () => true],
  [/^env$/, variables],
  [/^settings$/, line(String.raw`(?:experimental|lockfile|jobs|quiet|verbose|color)\s*=\s*${VALUE}`)],
]);

const PROTO = eachSection([
  [/^$/, tools],
  [/^env$/, variables],
  [
    /^settings$/,
    line(String.raw`(?:auto-install|auto-clean|detect-strategy|pin-latest|telemetry)\s*=\s*${VALUE}`),
  ],
]);

/** What Corepack, Volta and mise take from a manifest. */
function isOrdinaryManifest(text: string): boolean {
  try {
    const { packageManager = "", volta = {}, devEngines = {} } = JSON.parse(text) as Record<string, object>;
    const values = JSON.stringify([packageManager, volta, devEngines]).match(/"(?:[^"\\]|\\.)*"/g) ?? [];
    return values.every((value) => MANIFEST_VALUE.test(value)) && !Object.hasOwn(volta, "extends");
  } catch {
    // Some programs pass over a mark at the beginning, or a comment.
    return !/packageManager|volta|devEngines|\\u/.test(text);
  }
}

const MANIFEST_VALUE = whole(`"(?:@?[\\w-]+/)?${VERSION}"`);

export const CHOOSING_FILES = {
  versions: {
    name: /^\.(?:[a-z]+-version|nvmrc|yvmrc|python-versions|sdkmanrc)$/i,
    isOrdinary: eachLine(whole(VERSION)),
  },
  toolVersions: { name: /^\.tool-versions$/i, isOrdinary: eachLine(whole(`${TOOL}(?:\\s+${ONE_VERSION})*`)) },
  mise: {
    name: /^(?:\.config\/)?\.?(?:mise|rtx)(?:\.[\w-]+)*\.toml$|^(?:\.?mise|\.config\/mise)\/(?:(?:config|mise)(?:\.[\w-]+)*|conf\.d\/(?:[^/]+\/)?[^/]+)\.toml$/i,
    isOrdinary: MISE,
  },
  miseSettings: { name: /^(?:\.config\/)?\.?miserc(?:\.[\w-]+)*\.toml$/i, isOrdinary: () => false },
  proto: { name: /^\.prototools(?:\.[\w-]+)?$/i, isOrdinary: PROTO },
  vfox: { name: /^\.?vfox\.toml$/i, isOrdinary: MISE },
  manifest: { name: /^package\.json$/i, isOrdinary: isOrdinaryManifest },
  corepack: { name: /^\.corepack\.env$/i, isOrdinary: (text) => linesOf(text).length === 0 },
  rustup: { name: /^rust-toolchain(?:\.toml)?$/i, isOrdinary: (text) => !/\bpath\b|[/\\]/.test(text) },
  /** Variables, for those who have the plug-in for them. */
  variables: {
    name: /^\.[a-z]+env-vars$/i,
    isOrdinary: (text) => linesOf(text).every((one) => isHarmlessAssignment(one)),
  },
  gemfile: { name: /^Gemfile$/i, isOrdinary: (text) => !/^\s*ruby\b.*(?:path|ref):/m.test(text) },
  aqua: {
    name: /^(?:\.?aqua\/)?\.?aqua\.ya?ml$/i,
    isOrdinary: (text) =>
      !/\\|\b(?:local|github_content|http|registry_id|import|import_dir|repo_owner)\b/.test(text),
  },
} satisfies Readonly<Record<string, ChoosingFile>>;

/** Folders of a project in which managers look for their files, besides the folder itself. */
export const CHOOSING_FOLDERS: readonly string[] = [
  ...[".config", ".config/mise", ".config/mise/conf.d", "mise", "mise/conf.d", ".mise", ".mise/conf.d"],
  ...["aqua", ".aqua"],
];
