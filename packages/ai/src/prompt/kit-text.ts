import type { Kit, KitStep } from "@toolkeep/core/ports";
import { oneLine } from "./one-line.ts";

/** A kit as a section of a prompt; `undefined` where a step has no tool that can be used. */
export function kitText({ name, description, steps }: Kit, tools: ReadonlySet<string>): string | undefined {
  const lines = steps.map((step, index) => {
    const tool = step.tools.find((one) => tools.has(one));
    return tool === undefined ? undefined : `${index + 1}. ${stepText(step, tool)}`;
  });
  if (lines.length === 0 || lines.includes(undefined)) return undefined;
  return [`## ${oneLine(name)}: ${oneLine(description)}`, ...lines].join("\n");
}

function stepText({ action, note }: KitStep, tool: string): string {
  const said = `${oneLine(action)} (\`${tool}\`)`;
  return note === undefined ? said : `${said}: ${oneLine(note)}`;
}
