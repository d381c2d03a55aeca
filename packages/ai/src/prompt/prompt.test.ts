import { createSession, defineTool } from "@toolkeep/core";
import { usableTools } from "@toolkeep/core/internal";
import type { Kit, ToolGuide } from "@toolkeep/core/ports";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { composePrompt } from "./compose-prompt.ts";
import { promptParts } from "./prompt-parts.ts";
import { STANDARD_KITS } from "./standard-guides.ts";

const tool = (name: string) => ({ name, description: `Does ${name}. And more.` });
const STANDARD = ["read", "write", "edit", "grep", "bash", "skill"].map(tool);

const GUIDE = {
  tool: "grep",
  when: ["You look for a text."],
  whenNot: ["You know the file: read it."],
  examples: ["grep TODO in src"],
  tips: ["Name a folder."],
} satisfies ToolGuide;

describe("a prompt", () => {
  test("has its parts in a fixed order, each measured", async () => {
    const prompt = await composePrompt(
      promptParts({
        instructions: "You fix bugs.",
        guides: [GUIDE],
        toolIndex: true,
        skills: { index: () => [{ name: "release", description: "How to\nrelease." }] },
        project: { name: "AGENTS.md", text: () => "Run the tests." },
      }),
      { tools: STANDARD },
    );
    expect(prompt.parts.map(({ name }) => name)).toEqual([
      ...["instructions", "guides", "kits", "tools", "skills", "AGENTS.md"],
    ]);
    const sum = prompt.parts.reduce((total, { tokens }) => total + tokens, 0);
    expect(Math.abs(prompt.tokens - sum)).toBeLessThanOrEqual(2 * prompt.parts.length);
    expect(prompt.text).toContain("\n- grep: Does grep.\n");
    expect(prompt.text.endsWith("Run the tests.")).toBe(true);
  });

  test("[C53] has one line for each skill, and none without the tool that loads them", async () => {
    const skills = { index: () => [{ name: "release", description: "How to\nrelease." }] };
    const parts = promptParts({ skills, kits: [] });
    expect((await composePrompt(parts, { tools: STANDARD })).text).toContain("\n- release: How to release.");
    expect((await composePrompt(parts, { tools: [tool("read")] })).text).toBe("");
  });

  test("hides nothing, wherever a part comes from", async () => {
    const project = { name: "AGENTS.md", text: () => "Be good.\u{E0041}\u202Eevil\r\n" };
    const { text } = await composePrompt(promptParts({ kits: [], project }), { tools: [] });
    expect(text).toBe("Be good.<U+E0041><U+202E>evil");
  });

  test("refuses two parts with one name, and options that it does not have", async () => {
    const part = { name: "tone", text: () => "x" };
    await expect(composePrompt([part, part], { tools: [] })).rejects.toThrow('name "tone"');
    // @ts-expect-error a misspelled option
    expect(() => promptParts({ kit: [] })).toThrow('Did you mean "kits"?');
  });
});

describe("a guide", () => {
  test("[C117] says when a tool is used and when not, with examples and tips", async () => {
    const tips = [...GUIDE.tips, "Change what you find with `sed`."];
    const parts = promptParts({
      kits: [],
      guides: [
        { ...GUIDE, tips },
        { tool: "sed", tips: ["Never."] },
      ],
    });
    expect((await composePrompt(parts, { tools: STANDARD })).text).toBe(
      [
        "# How to use the tools\n\n## grep",
        "Use it when:\n- You look for a text.",
        "Do not use it when:\n- You know the file: read it.",
        "Examples:\n- grep TODO in src",
        "Tips:\n- Name a folder.",
      ].join("\n"),
    );
  });
});

describe("a kit", () => {
  test("[C116] the four kits have their steps, with the tools that there are", async () => {
    const { text } = await composePrompt(promptParts(), { tools: STANDARD });
    const steps = (name: string) =>
      STANDARD_KITS.find((kit) => kit.name === name)?.steps.map((one) => one.action);
    expect(steps("tdd_workflow")).toEqual([
      ...["Write a test", "Run the test", "Implement", "Run the test", "Refactor"],
    ]);
    expect(steps("debug_cycle")).toEqual(["Reproduce", "Diagnose", "Fix", "Verify"]);
    expect(steps("project_setup")).toEqual([
      ...["Create the structure", "Initialize Git", "Install the dependencies", "Verify"],
    ]);
    expect(steps("code_quality")).toEqual(["Lint", "Analyze", "Fix", "Verify"]);
    for (const { name } of STANDARD_KITS) expect(text).toContain(`## ${name}: `);
    expect(text).toContain("2. Run the test (`bash`): ");
    const managers = ["file_manager", "diff_editor", "test_runner"].map(tool);
    const prompt = await composePrompt(promptParts(), { tools: managers });
    expect(prompt.text).toContain("2. Run the test (`test_runner`): ");
    expect(prompt.text).not.toContain("debug_cycle");
  });

  test("[C116] is not shown where the policy denies one of its tools", async () => {
    const tools = STANDARD.map((one) =>
      defineTool({
        ...one,
        inputSchema: { type: "object" },
        requires: one.name === "bash" ? { capabilities: ["shell.run"] } : {},
        execute: () => "",
      }),
    );
    const shown = async (...policy: readonly string[]) => {
      await using session = await createSession({ tools, policy });
      const facts = { tools: usableTools(session).map((one) => one.tool) };
      return (await composePrompt(promptParts(), facts)).parts.map(({ name }) => name);
    };
    expect(await shown()).toEqual(["kits"]);
    expect(await shown("deny bash")).toEqual([]);
    expect(await shown("deny shell.run")).toEqual([]);
    expect(await shown('deny shell.run "rm *"')).toEqual(["kits"]);
  });
});

describe("for any tools, guides and kits", () => {
  const NAMES = ["a", "b", "c", "d", "e", "f"];
  const name = fc.constantFrom(...NAMES);
  const guides = fc.uniqueArray(
    fc.record({ tool: name, tips: fc.array(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 2 }) }),
    { selector: ({ tool: of }) => of },
  );
  const step = fc.record({
    action: fc.constantFrom("Look", "Act"),
    tools: fc.array(name, { minLength: 1, maxLength: 3 }),
  });
  const kits = fc
    .array(fc.array(step, { minLength: 1, maxLength: 4 }), { maxLength: 4 })
    .map((all) => all.map((steps, index): Kit => ({ name: `kit-${index}`, description: "K.", steps })));
  const tools = fc.uniqueArray(name).map((names) => names.map(tool));

  test("the prompt is the same in every run, in whatever order tools and guides come", async () => {
    await fc.assert(
      fc.asyncProperty(guides, kits, tools, async (someGuides, someKits, someTools) => {
        const first = await composePrompt(
          promptParts({ guides: someGuides, kits: someKits, toolIndex: true }),
          { tools: someTools },
        );
        const again = await composePrompt(
          promptParts({ guides: someGuides.toReversed(), kits: structuredClone(someKits), toolIndex: true }),
          { tools: someTools.toReversed() },
        );
        expect(again).toEqual(first);
      }),
    );
  });

  test("what needs a tool that is missing is absent, and what has all its tools is there", async () => {
    await fc.assert(
      fc.asyncProperty(guides, kits, tools, async (someGuides, someKits, someTools) => {
        const { text } = await composePrompt(promptParts({ guides: someGuides, kits: someKits }), {
          tools: someTools,
        });
        const names = new Set(someTools.map((one) => one.name));
        const lines = new Set(text.split("\n"));
        for (const guide of someGuides) expect(lines.has(`## ${guide.tool}`)).toBe(names.has(guide.tool));
        for (const kit of someKits) {
          const isWhole = kit.steps.every((one) => one.tools.some((needed) => names.has(needed)));
          expect(lines.has(`## ${kit.name}: K.`)).toBe(isWhole);
        }
      }),
    );
  });
});
