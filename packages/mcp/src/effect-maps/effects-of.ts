import { type Effect, ToolFailure } from "@toolkeep/core";
import { clearPath, clearPathWithin } from "./clear-path.ts";
import type { ArgumentCheck, MappedEffect, MappedTool } from "./effect-map.ts";
import { type ArgumentPath, each, type Placeholder, readArgumentPath, readTarget } from "./mapped-target.ts";
import {
  argumentsAt,
  inside,
  literal,
  plainName,
  readAs,
  unreadable,
  valuesAt,
  word,
} from "./read-argument.ts";
import { statedCapabilities } from "./stated-capabilities.ts";

/**
 * The effects of one call of a mapped tool.
 * @throws ToolFailure `invalid_arguments` for arguments that cannot be read as the map requires, `effects_failed`
 * if no effect is left to evaluate.
 * @throws ToolkeepError `invalid_option` for an invalid map.
 */
export function effectsOf(mapped: MappedTool, args: unknown): readonly Effect[] {
  checkArguments(mapped, args);
  const effects = mapped.effects.flatMap((effect) => {
    const { capability, entriesOf } = effect;
    const folders = entriesOf === undefined ? [] : targetsOf({ capability, target: entriesOf }, args);
    return statedCapabilities(effect, args).flatMap((one) =>
      targetsOf(effect, args).map((target, at) =>
        made({ ...effect, capability: one }, target, folders[at] ?? folders[0]),
      ),
    );
  });
  if (mapped.effects.length > 0 && effects.every(({ implied }) => implied === true)) {
    throw new ToolFailure("effects_failed", "these arguments name no effect of the call");
  }
  return effects;
}

function made({ capability, implied }: MappedEffect, target: string, entriesOf: string | undefined): Effect {
  if (entriesOf !== undefined) return { capability, target, implied: true, entriesOf };
  return implied === true ? { capability, target, implied } : { capability, target };
}

/** Checks the further arguments. */
function checkArguments({ checks = {} }: MappedTool, args: unknown): void {
  for (const [argument, kind] of Object.entries(checks)) {
    const path = readArgumentPath(argument);
    // A number leads nowhere, and an empty text is a missing one.
    if (kind === "inside") for (const value of valuesAt(args, path)) inside(value, path);
    else for (const value of argumentsAt(args, path) ?? []) CHECKS[kind](value, path);
  }
}

const CHECKS: Readonly<
  Record<Exclude<ArgumentCheck, "inside">, (value: string, path: ArgumentPath) => string>
> = {
  word,
  literal,
  name: plainName,
  path: clearPath,
};

/** One target for each entry of the list in it. None if an optional argument is missing. */
function targetsOf({ capability, target }: MappedEffect, args: unknown): readonly string[] {
  let targets: readonly string[] = [""];
  let isFirst = true;
  for (const part of readTarget(target)) {
    const isPath = capability.startsWith("fs.") && isFirst;
    const values = typeof part === "string" ? [part] : valuesOf(part, args, isPath);
    targets = targets.flatMap((start) => values.map((value) => `${start}${value}`));
    isFirst = false;
  }
  return capability.startsWith("fs.") ? targets.map(withoutDoubleSlash) : targets;
}

/** Joins the root and the relative path. */
function withoutDoubleSlash(target: string): string {
  return target.startsWith("//") ? target.slice(1) : target;
}

function valuesOf(part: Placeholder, args: unknown, isPath: boolean): readonly string[] {
  const { path, reading, otherwise, within } = part;
  if (reading === "any") return valuesAt(args, path).length > 0 ? ["*"] : missing(part, otherwise);
  const values = argumentsAt(args, path) ?? missing(part, otherwise);
  if (within !== undefined) {
    const [folder] = argumentsAt(args, within) ?? missing({ ...part, path: within }, undefined);
    return values.map((value) => clearPathWithin(value, folder ?? "", path));
  }
  if (isPath || reading === "path") return values.map((value) => clearPath(value, path));
  return values.map((value) => readAs(reading, value, path));
}

function missing({ path }: Placeholder, otherwise: string | undefined): readonly string[] {
  if (otherwise === undefined)
    throw unreadable(path, path.at(-1) === each ? "the list is missing" : "it is missing");
  return otherwise === "" ? [] : [otherwise];
}
