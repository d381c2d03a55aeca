import { ToolkeepError } from "@toolkeep/core";
import type { EffectMap, MappedEffect, MappedStart, MappedTool } from "../effect-maps/effect-map.ts";
import { readArgumentPath, readTarget } from "../effect-maps/mapped-target.ts";
import type { ValuePath, WrittenValues } from "./written-values.ts";

const MODES = ["read", "safe_write", "destructive", "local", "external"] as const;
const CHECKS = ["word", "literal", "name", "path", "inside"] as const;
const KEYS = ["name", "packages", "tools", "prompts", "resources", "start", "environment"] as const;
const CAPABILITY = /^[\w.:-]{1,128}$/;

/** Validates an effect map of a settings file. */
export function checkEffectMap(written: WrittenValues, value: unknown, path: ValuePath): EffectMap {
  const {
    name,
    packages = [],
    tools,
    prompts,
    resources,
    start,
    environment,
  } = written.record(value, path, KEYS);
  const mapped = Object.entries(written.record(tools, [...path, "tools"]));
  return {
    name: written.text(name, [...path, "name"]),
    packages: written.texts(packages, [...path, "packages"]),
    tools: Object.fromEntries(
      mapped.map(([tool, value]) => [tool, mappedTool(written, value, [...path, "tools", tool])]),
    ),
    ...(prompts === undefined ? {} : { prompts: readings(written, prompts, [...path, "prompts"]) }),
    ...(resources === undefined ? {} : { resources: readings(written, resources, [...path, "resources"]) }),
    ...(start === undefined ? {} : { start: mappedStart(written, start, [...path, "start"]) }),
    ...(environment === undefined
      ? {}
      : { environment: textsByName(written, environment, [...path, "environment"]) }),
  };
}

function readings(
  written: WrittenValues,
  value: unknown,
  path: ValuePath,
): NonNullable<EffectMap["prompts"]> {
  return Object.fromEntries(
    Object.entries(written.record(value, path)).map(([name, value]) => [
      name,
      written
        .list(value, [...path, name])
        .map((one, index) => mappedEffect(written, one, [...path, name, index])),
    ]),
  );
}

function mappedStart(written: WrittenValues, value: unknown, path: ValuePath): MappedStart {
  const { file, args, variables } = written.record(value, path, ["file", "args", "variables"]);
  return {
    ...(file === undefined ? {} : { file: written.text(file, [...path, "file"]) }),
    ...(args === undefined ? {} : { args: written.texts(args, [...path, "args"]) }),
    ...(variables === undefined ? {} : { variables: written.texts(variables, [...path, "variables"]) }),
  };
}

function textsByName(
  written: WrittenValues,
  value: unknown,
  path: ValuePath,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(written.record(value, path)).map(([name, value]) => [
      name,
      written.text(value, [...path, name]),
    ]),
  );
}

function mappedTool(written: WrittenValues, value: unknown, path: ValuePath): MappedTool {
  const record = written.record(value, path, ["mode", "effects", "idempotent", "checks", "arguments"]);
  const { mode, effects, idempotent, checks, arguments: harmless } = record;
  const list = written.list(effects, [...path, "effects"]);
  const read = {
    mode: written.oneOf(mode, [...path, "mode"], MODES),
    effects: list.map((one, index) => mappedEffect(written, one, [...path, "effects", index])),
    ...(idempotent === undefined ? {} : { idempotent: written.flag(idempotent, [...path, "idempotent"]) }),
    ...(checks === undefined ? {} : { checks: checksOf(written, checks, [...path, "checks"]) }),
    ...(harmless === undefined ? {} : { arguments: written.texts(harmless, [...path, "arguments"]) }),
  };
  for (const one of read.arguments ?? [])
    mustRead(written, [...path, "arguments"], () => readArgumentPath(one));
  if (read.effects.length > 0 && read.effects.every(({ implied }) => implied === true)) {
    written.error([...path, "effects"], "At least one of the effects must not be implied.");
  }
  return read;
}

function mappedEffect(written: WrittenValues, value: unknown, path: ValuePath): MappedEffect {
  const { capability, target, implied } = written.record(value, path, ["capability", "target", "implied"]);
  const read = {
    capability: written.text(capability, [...path, "capability"]),
    target: written.text(target, [...path, "target"]),
    ...(implied === undefined || !written.flag(implied, [...path, "implied"])
      ? {}
      : { implied: true as const }),
  };
  if (!CAPABILITY.test(read.capability))
    written.error([...path, "capability"], "A capability must be a plain name.");
  mustRead(written, [...path, "target"], () => readTarget(read.target));
  return read;
}

function checksOf(
  written: WrittenValues,
  value: unknown,
  path: ValuePath,
): NonNullable<MappedTool["checks"]> {
  const entries = Object.entries(written.record(value, path)).map(([argument, kind]) => {
    mustRead(written, [...path, argument], () => readArgumentPath(argument));
    return [argument, written.oneOf(kind, [...path, argument], CHECKS)] as const;
  });
  return Object.fromEntries(entries);
}

function mustRead(written: WrittenValues, path: ValuePath, read: () => unknown): void {
  try {
    read();
  } catch (error) {
    if (!ToolkeepError.isInstance(error)) throw error;
    written.error(path, error.message);
  }
}
