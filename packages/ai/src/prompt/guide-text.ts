import type { ToolGuide } from "@toolkeep/core/ports";
import { oneLine } from "./one-line.ts";

/** A guide as a section of a prompt; empty if it says nothing. */
export function guideText({ tool, when, whenNot, examples, tips }: ToolGuide): string {
  const sections = [
    listed("Use it when", when),
    listed("Do not use it when", whenNot),
    listed("Examples", examples),
    listed("Tips", tips),
  ].filter((section) => section !== "");
  return sections.length === 0 ? "" : [`## ${oneLine(tool)}`, ...sections].join("\n");
}

function listed(title: string, entries: readonly string[] = []): string {
  return entries.length === 0
    ? ""
    : [`${title}:`, ...entries.map((entry) => `- ${oneLine(entry)}`)].join("\n");
}
