import { ToolkeepError } from "@toolkeep/core";
import type { EffectMap, MappedEffect, MappedStart, MappedTool } from "../effect-maps/effect-map.ts";
import { readArgumentPath, readTarget } from "../effect-maps/mapped-target.ts";
import type { Place, WrittenValues } from "./written-values.ts";

const MODES = ["read", "safe_write", "destructive", "local", "external"] as const;
const CHECKS = ["word", "literal", "name", "path"] as const;
const KEYS = ["name", "packages", "tools", "prompts", "resources", "start", "environment"] as const;
const CAPABILITY = /^[\w.:-]{1,128}$/;

/** Holds an effect map of a settings file against its form. */
export function checkEffectMap(written: WrittenValues, value: unknown, path: Place): EffectMap {
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
      mapped.map(([tool, said]) => [tool, mappedTool(written, said, [...path, "tools", tool])]),
    ),
    ...(prompts === undefined ? {} : { prompts: readings(written, prompts, [...path, "prompts"]) }),
    ...(resources === undefined ? {} : { resources: readings(written, resources, [...path, "resources"]) }),
    ...(start === undefined ? {} : { start: mappedStart(written, start, [...path, "start"]) }),
    ...(environment === undefined
      ? {}
      : { environment: textsByName(written, environment, [...path, "environment"]) }),
  };
}

function readings(written: WrittenValues, value: unknown, path: Place): NonNullable<EffectMap["prompts"]> {
  return Object.fromEntries(
    Object.entries(written.record(value, path)).map(([name, said]) => [
      name,
      written
        .list(said, [...path, name])
        .map((one, index) => mappedEffect(written, one, [...path, name, index])),
    ]),
  );
}

function mappedStart(written: WrittenValues, value: unknown, path: Place): MappedStart {
  const { file, words, variables } = written.record(value, path, ["file", "words", "variables"]);
  return {
    ...(file === undefined ? {} : { file: written.text(file, [...path, "file"]) }),
    ...(words === undefined ? {} : { words: written.texts(words, [...path, "words"]) }),
    ...(variables === undefined ? {} : { variables: written.texts(variables, [...path, "variables"]) }),
  };
}

function textsByName(written: WrittenValues, value: unknown, path: Place): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(written.record(value, path)).map(([name, said]) => [
      name,
      written.text(said, [...path, name]),
    ]),
  );
}

function mappedTool(written: WrittenValues, value: unknown, path: Place): MappedTool {
  const { mode, effects, idempotent, checks } = written.record(value, path, [
    "mode",
    "effects",
    "idempotent",
    "checks",
  ]);
  const list = written.list(effects, [...path, "effects"]);
  const said = {
    mode: written.word(mode, [...path, "mode"], MODES),
    effects: list.map((one, index) => mappedEffect(written, one, [...path, "effects", index])),
    ...(idempotent === undefined ? {} : { idempotent: written.flag(idempotent, [...path, "idempotent"]) }),
    ...(checks === undefined ? {} : { checks: checksOf(written, checks, [...path, "checks"]) }),
  };
  if (said.effects.length > 0 && said.effects.every(({ implied }) => implied === true)) {
    written.error([...path, "effects"], "One of the effects must not be implied.");
  }
  return said;
}

function mappedEffect(written: WrittenValues, value: unknown, path: Place): MappedEffect {
  const { capability, target, implied } = written.record(value, path, ["capability", "target", "implied"]);
  const said = {
    capability: written.text(capability, [...path, "capability"]),
    target: written.text(target, [...path, "target"]),
    ...(implied === undefined || !written.flag(implied, [...path, "implied"])
      ? {}
      : { implied: true as const }),
  };
  if (!CAPABILITY.test(said.capability))
    written.error([...path, "capability"], "A capability is a plain name.");
  mustRead(written, [...path, "target"], () => readTarget(said.target));
  return said;
}

function checksOf(written: WrittenValues, value: unknown, path: Place): NonNullable<MappedTool["checks"]> {
  const entries = Object.entries(written.record(value, path)).map(([argument, kind]) => {
    mustRead(written, [...path, argument], () => readArgumentPath(argument));
    return [argument, written.word(kind, [...path, argument], CHECKS)] as const;
  });
  return Object.fromEntries(entries);
}

function mustRead(written: WrittenValues, path: Place, read: () => unknown): void {
  try {
    read();
  } catch (error) {
    if (!ToolkeepError.isInstance(error)) throw error;
    written.error(path, error.message);
  }
}
