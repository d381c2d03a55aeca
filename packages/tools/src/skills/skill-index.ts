import type { Skills } from "@toolkeep/core/ports";

const SPACE = /[\s\p{Cc}\u2028\u2029]+/gu;

/** One line for each skill, for a system prompt; empty if there are none. */
export function skillIndex(skills: Pick<Skills, "index">): string {
  return skills
    .index()
    .map(({ name, description }) => `- ${oneLine(name)}: ${oneLine(description)}`)
    .join("\n");
}

/** A description must not look like another line of the prompt. */
function oneLine(text: string): string {
  return text.replaceAll(SPACE, " ").trim();
}
