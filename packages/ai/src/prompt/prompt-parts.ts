import { assertKnownKeys } from "@toolkeep/core/internal";
import type { Kit, KitStep, Skills, ToolGuide } from "@toolkeep/core/ports";
import { oneLine } from "./one-line.ts";
import type { PromptPart } from "./prompt-part.ts";
import { STANDARD_GUIDES, STANDARD_KITS } from "./standard-guides.ts";

/** What `promptParts` makes parts of. All are optional. */
export interface PromptOptions {
  /** Who the agent is and how it works. */
  readonly instructions?: string;
  /**
   * How to use tools well. Those of tools that cannot be used are left out, and what names such a tool. Default:
   * `STANDARD_GUIDES`.
   */
  readonly guides?: readonly ToolGuide[];
  /** Workflows. Those with a step that no usable tool can do are left out. Default: `STANDARD_KITS`. */
  readonly kits?: readonly Kit[];
  /** Whether the tools are listed, one line each: for models that get few of the definitions. Default: `false`. */
  readonly toolIndex?: boolean;
  /** One line for each skill; left out if there is no tool `skill`. */
  readonly skills?: Pick<Skills, "index">;
  /** What the project says, such as `readInstructions` of `@toolkeep/node/agents` gives it. */
  readonly project?: PromptPart;
}

const OPTIONS = [
  "instructions",
  "guides",
  "kits",
  "toolIndex",
  "skills",
  "project",
] as const satisfies (keyof PromptOptions)[];

/**
 * The usual parts of an agent's prompt, in the order that suits prompt caches: what is the same for all projects first,
 * what the project says last.
 *
 * @example
 * const agent = await createAgent({ model, tools, policy, prompt: promptParts({ skills, project }) });
 */
export function promptParts(options: PromptOptions = {}): readonly PromptPart[] {
  assertKnownKeys(options, OPTIONS, "option of promptParts");
  const { instructions, guides = STANDARD_GUIDES, kits = STANDARD_KITS } = options;
  const { toolIndex = false, skills, project } = options;
  return [
    ...(instructions === undefined ? [] : [{ name: "instructions", text: () => instructions }]),
    guidesPart(guides),
    kitsPart(kits),
    ...(toolIndex ? [TOOL_INDEX] : []),
    ...(skills === undefined ? [] : [skillsPart(skills)]),
    ...(project === undefined ? [] : [project]),
  ];
}

const TOOL_INDEX: PromptPart = Object.freeze<PromptPart>({
  name: "tools",
  text: ({ tools }) =>
    underHeading(
      "# Tools",
      tools.map(({ name, description }) => `- ${name}: ${firstSentence(description)}`),
    ),
});

function guidesPart(guides: readonly ToolGuide[]): PromptPart {
  return {
    name: "guides",
    text({ tools }) {
      const names = new Set(tools.map(({ name }) => name));
      const others = guides.flatMap(({ tool }) => (names.has(tool) ? [] : [`\`${tool}\``]));
      const shown = guides.filter(({ tool }) => names.has(tool)).map((guide) => guideText(guide, others));
      return underHeading("# How to use the tools", shown.filter((text) => text !== "").toSorted(), "\n\n");
    },
  };
}

function kitsPart(kits: readonly Kit[]): PromptPart {
  return {
    name: "kits",
    text({ tools }) {
      const names = new Set(tools.map(({ name }) => name));
      return underHeading(
        "# Workflows\nWhere the task fits one of these, take its steps in order.",
        kits.flatMap((kit) => kitText(kit, names) ?? []),
        "\n\n",
      );
    },
  };
}

function skillsPart(skills: Pick<Skills, "index">): PromptPart {
  return {
    name: "skills",
    text: ({ tools }) =>
      tools.some(({ name }) => name === "skill")
        ? underHeading(
            "# Skills\nInstructions that the tool `skill` loads. Load one before you do what it is about.",
            skills.index().map(({ name, description }) => `- ${oneLine(name)}: ${oneLine(description)}`),
          )
        : "",
  };
}

function underHeading(heading: string, entries: readonly string[], between = "\n"): string {
  return entries.length === 0 ? "" : `${heading}\n\n${entries.join(between)}`;
}

const LONGEST = 160;

/** What a tool does, in one line: the rest is in its definition. */
function firstSentence(description: string): string {
  const line = oneLine(description);
  const sentence = /^.*?[.!?](?=\s|$)/.exec(line)?.[0] ?? line;
  return sentence.length > LONGEST ? `${sentence.slice(0, LONGEST)}…` : sentence;
}

/** A guide as a section of a prompt, without what leads to tools that cannot be used; empty if it says nothing. */
function guideText({ tool, when, whenNot, examples, tips }: ToolGuide, others: readonly string[]): string {
  const isUsable = (entry: string) => !others.some((name) => entry.includes(name));
  const sections = [
    listed("Use it when", when?.filter(isUsable)),
    listed("Do not use it when", whenNot?.filter(isUsable)),
    listed("Examples", examples?.filter(isUsable)),
    listed("Tips", tips?.filter(isUsable)),
  ].filter((section) => section !== "");
  return sections.length === 0 ? "" : [`## ${oneLine(tool)}`, ...sections].join("\n");
}

function listed(title: string, entries: readonly string[] = []): string {
  return entries.length === 0
    ? ""
    : [`${title}:`, ...entries.map((entry) => `- ${oneLine(entry)}`)].join("\n");
}

/** A kit as a section of a prompt; `undefined` where a step has no tool that can be used. */
function kitText({ name, description, steps }: Kit, tools: ReadonlySet<string>): string | undefined {
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
