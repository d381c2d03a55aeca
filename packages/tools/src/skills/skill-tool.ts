import { defineTool, type Tool, ToolFailure } from "@toolkeep/core";
import type { Skills } from "@toolkeep/core/ports";
import { SKILL_INPUT } from "./skill-input.ts";

const MOST_NAMED = 50;

/** The tool `skill`: returns the instructions of a skill of the session. */
export function skillTool(): Tool {
  return defineTool({
    name: "skill",
    label: "Load a skill",
    description:
      "Loads the instructions of a skill by its name. Call it before you do what one of the listed skills is about, and follow the instructions as far as they fit the task.",
    inputSchema: SKILL_INPUT,
    requires: {},
    mode: "read",
    kind: "think",
    gated: false,
    effects: () => [],
    async execute({ name }, { skills }) {
      const body = await skills.load(name);
      if (body === undefined) throw unknownSkill(name, skills);
      return { name, content: body };
    },
  });
}

function unknownSkill(name: string, skills: Skills): ToolFailure {
  const names = skills.index().map((entry) => entry.name);
  const listed = names.slice(0, MOST_NAMED).join(", ");
  const more = names.length > MOST_NAMED ? `, and ${names.length - MOST_NAMED} more` : "";
  return new ToolFailure("not_found", `There is no skill ${JSON.stringify(name)}.`, {
    hint: names.length === 0 ? "This session has no skills." : `The skills are: ${listed}${more}.`,
  });
}
