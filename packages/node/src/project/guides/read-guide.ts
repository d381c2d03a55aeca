import type { Diagnostic } from "@toolkeep/core";
import { defined } from "@toolkeep/core/internal";
import type { Kit, KitStep, ToolGuide } from "@toolkeep/core/ports";
import { YamlFields } from "./yaml-fields.ts";

/** What a file says, and what is wrong with it. With errors there is no value. */
export interface ReadGuide<Value> {
  readonly value?: Value;
  readonly errors: readonly Diagnostic[];
}

/** Reads a tool guide: `tool`, `when_to_use`, `when_not_to_use`, `examples`, `tips`. */
export function readGuide(text: string, file: string): ReadGuide<ToolGuide> {
  const fields = new YamlFields(file);
  const root = fields.read(text, ["tool", "when_to_use", "when_not_to_use", "examples", "tips"]);
  if (root === undefined) return { errors: fields.errors };
  const tool = fields.text(root, "tool");
  const when = fields.texts(root, "when_to_use");
  const whenNot = fields.texts(root, "when_not_to_use");
  const examples = fields.texts(root, "examples");
  const tips = fields.texts(root, "tips");
  if (fields.errors.length > 0) return { errors: fields.errors };
  const value = { tool, ...defined({ when, whenNot, examples, tips }) };
  return { value, errors: [] };
}

/** Reads a kit: `tool_kit`, `description` and `steps`, each with `tool`, `action`, and perhaps `order` and `note`. */
export function readKit(text: string, file: string): ReadGuide<Kit> {
  const fields = new YamlFields(file);
  const root = fields.read(text, ["tool_kit", "description", "steps"]);
  if (root === undefined) return { errors: fields.errors };
  const name = fields.text(root, "tool_kit");
  const description = fields.text(root, "description");
  const steps = fields.items(root, "steps").flatMap((node, index) => {
    const map = fields.map(node, ["order", "tool", "action", "note"]);
    if (map === undefined) return [];
    const note = fields.optionalText(map, "note");
    const step: KitStep = {
      action: fields.text(map, "action"),
      tools: fields.texts(map, "tool") ?? [fields.text(map, "tool")],
      ...(note === undefined ? {} : { note }),
    };
    return [{ step, order: Number(fields.optionalText(map, "order") ?? index + 1) }];
  });
  if (fields.errors.length > 0) return { errors: fields.errors };
  const inOrder = steps.toSorted((one, other) => one.order - other.order).map(({ step }) => step);
  return { value: { name, description, steps: inOrder }, errors: [] };
}
