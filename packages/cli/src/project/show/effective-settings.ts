import type { Config, ConfigOrigin, ConfigReading } from "@toolkeep/node/internal";
import { CONFIG_KEYS } from "@toolkeep/node/internal";
import { shownValue } from "../../terminal/shown-value.ts";
import { storeFolderOf } from "../read-project.ts";

/** A value of a setting and where it is written. */
interface WrittenValue {
  readonly value: unknown;
  readonly layer: ConfigOrigin["layer"];
  readonly file: string;
  readonly line: number;
}

/** A setting as it applies. */
export interface EffectiveSetting {
  readonly key: string;
  readonly value: unknown;
  /** `default`: no file sets it. `policy`: the mode of a policy file. */
  readonly source: ConfigOrigin["layer"] | "default" | "policy";
  readonly file?: string;
  readonly line?: number;
  /** What it overrides, the nearest first. */
  readonly overrides: readonly WrittenValue[];
}

/** Settings of which every file adds to the others. */
const ADDING: ReadonlySet<string> = new Set(["policy", "allowed", "denied", "redaction.shapes"]);

/** Every setting of the configuration, with its value, where it comes from and what it overrides. */
export function effectiveSettings(
  { origins }: Pick<ConfigReading, "origins">,
  { mode, config }: { readonly mode: ModeOrigin; readonly config: Config | undefined },
): readonly EffectiveSetting[] {
  const keys = [
    ...Object.keys(CONFIG_KEYS),
    ...[...origins.keys()].filter((key) => key.startsWith("tools.")),
  ];
  return keys.flatMap((key) => {
    const written = (origins.get(key) ?? []).map((origin) => writtenValue(key, origin));
    const isOpen = written.length === 0 || (mode.isManaged === true && written.at(-1)?.layer !== "managed");
    if (key === "mode" && isOpen) return [{ ...modeSetting(mode), overrides: written.toReversed() }];
    if (written.length === 0) return [unset(key, config)];
    if (ADDING.has(key)) return written.map((one) => setting(key, one, []));
    const [last, ...before] = written.toReversed();
    return last === undefined ? [] : [setting(key, last, before)];
  });
}

/** The mode that applies if the configuration sets none. */
export interface ModeOrigin {
  readonly value: string;
  /** The policy file that sets it. */
  readonly file?: string;
  /** Whether it is the administrator's, which overrides the user's configuration. */
  readonly isManaged?: true;
}

function modeSetting({ value, file }: ModeOrigin): EffectiveSetting {
  if (file === undefined) return { key: "mode", value, source: "default", overrides: [] };
  return { key: "mode", value, source: "policy", file, overrides: [] };
}

function setting(
  key: string,
  { value, layer, file, line }: WrittenValue,
  overrides: readonly WrittenValue[],
): EffectiveSetting {
  return { key, value, source: layer, file, line, overrides };
}

function unset(key: string, config: Config | undefined): EffectiveSetting {
  const value = key === "journal.folder" && config !== undefined ? storeFolderOf(config) : DEFAULTS[key];
  return { key, value: value ?? null, source: "default", overrides: [] };
}

const DEFAULTS: Readonly<Record<string, unknown>> = {
  ...{ policy: [], allowed: [], denied: [], roots: [], files: [] },
  ...{
    "sandbox.required": false,
    "network.privateHosts": [],
    "network.proxy": "off",
    "redaction.shapes": [],
  },
};

function writtenValue(key: string, { value, layer, file, line }: ConfigOrigin): WrittenValue {
  return { value: shownValue(key.split(".").at(-1) ?? key, value), layer, file, line };
}
