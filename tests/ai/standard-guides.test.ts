import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createAgent } from "@toolkeep/ai";
import { promptParts, STANDARD_GUIDES, STANDARD_KITS } from "@toolkeep/ai/prompt";
import type { Tool } from "@toolkeep/core";
import { stubTool } from "@toolkeep/core/testing";
import { managerTools, standardTools } from "@toolkeep/tools";
import { describe, expect, test } from "vitest";
import { endOf } from "../../packages/ai/src/agent/scripted-agent.test.kit.ts";
import { scriptedModel } from "../../packages/ai/src/ai-sdk/scripted-model.test.kit.ts";
import { compiledGuides } from "../../scripts/guides/compiled-guides.ts";
import { ROOT } from "../../scripts/root.ts";

const PACKAGE = join(ROOT, "packages/ai");
const GUIDED = [
  ...["bash_manager", "code_exec", "code_search", "diff_editor"],
  ...["file_manager", "git_manager", "lsp_manager", "test_runner"],
];
const KITS = ["code_quality", "debug_cycle", "project_setup", "tdd_workflow"];

/** Every guided tool, also where a set that comes along does not have it. */
const managers = managerTools();
const TOOLS = [
  ...managers,
  ...GUIDED.filter((name) => managers.every((tool) => tool.name !== name)).map(
    (name) => stubTool(name, () => "").tool,
  ),
];

/** The system prompt that a model receives: the names of its sections, and its text. */
async function received(policy: readonly string[], tools: readonly Tool[] = TOOLS) {
  const { model, prompts } = scriptedModel(["Done."]);
  await using agent = await createAgent({ model, tools, policy, prompt: promptParts() });
  await endOf(agent.run("Work."));
  const [{ content }] = JSON.parse(prompts[0] ?? "[]") as [{ content: string }];
  const sections = [...content.matchAll(/^## (\w+)/gm)].map((found) => found[1] ?? "");
  return {
    text: content,
    guides: sections.filter((name) => GUIDED.includes(name)),
    kits: sections.filter((name) => KITS.includes(name)).toSorted(),
  };
}

test("the guides and kits are YAML files, and what the package has of them says the same", () => {
  const files = (folder: string) => readdirSync(join(PACKAGE, folder));
  expect(files("guides").toSorted()).toEqual(GUIDED.map((name) => `${name}.yaml`));
  expect(files("kits").toSorted()).toEqual(KITS.map((name) => `${name}.yaml`));
  const compiled = readFileSync(join(PACKAGE, "src/prompt/compiled-guides.json"), "utf8");
  expect(compiled, "run `npm run guides`").toBe(compiledGuides(PACKAGE));
});

describe("a model with the managers", () => {
  test("[C117] receives a guide for each of the eight: when to use it, when not, examples and tips", async () => {
    const { guides, text } = await received([]);
    expect(guides).toEqual(GUIDED);
    const shown = text.split("\n");
    for (const { tool, ...says } of STANDARD_GUIDES) {
      expect(Object.keys(says), tool).toEqual(["when", "whenNot", "examples", "tips"]);
      for (const entry of Object.values(says).flat())
        expect(shown).toContain(`- ${entry.replaceAll("\n", " ")}`);
    }
  });

  test("[C117] examples that are calls fit the parameters of their tools", () => {
    for (const { tool, examples = [] } of STANDARD_GUIDES) {
      const schema = managers.find(({ name }) => name === tool)?.inputSchema;
      if (schema === undefined) continue;
      const { properties } = schema as { properties: Readonly<Record<string, unknown>> };
      for (const example of examples.filter((text) => text.startsWith("{")))
        expect(Object.keys(properties)).toEqual(expect.arrayContaining(Object.keys(JSON.parse(example))));
    }
  });

  test("[C116] receives the four kits with their steps", async () => {
    const { kits, text } = await received([]);
    expect(kits).toEqual(KITS);
    expect(STANDARD_KITS.map(({ name }) => name)).toEqual(KITS);
    expect(text).toMatch(
      /## tdd_workflow: .*\n1\. Write a test \(`file_manager`\).*\n2\. Run the test \(`test_runner`\).*\n3\. Implement \(`diff_editor`\).*\n4\. Run the test .*\n5\. Refactor /,
    );
    expect(text).toMatch(/## debug_cycle: .*\n1\. Reproduce .*\n2\. Diagnose .*\n3\. Fix .*\n4\. Verify /);
    expect(text).toMatch(
      /## project_setup: .*\n1\. Create the structure .*\n2\. Initialize Git \(`git_manager`\).*\n3\. Install the dependencies .*\n4\. Verify /,
    );
    expect(text).toMatch(/## code_quality: .*\n1\. Lint .*\n2\. Analyze .*\n3\. Fix .*\n4\. Verify /);
  });

  test.each(GUIDED)("[C117] receives nothing that leads to %s where the policy denies it", async (name) => {
    const { guides, text } = await received([`deny ${name}`]);
    expect(guides).toEqual(GUIDED.filter((one) => one !== name));
    expect(text).not.toContain(name);
  });

  test.each([
    ["git_manager", ["code_quality", "debug_cycle", "tdd_workflow"]],
    ["code_search", ["project_setup", "tdd_workflow"]],
    ["test_runner", []],
    // Files are changed with `file_manager` then.
    ["diff_editor", KITS],
  ])("[C116] without %s receives the kits %j", async (name, left) => {
    expect((await received([`deny ${name}`])).kits).toEqual(left);
    expect(
      (
        await received(
          [],
          TOOLS.filter((tool) => tool.name !== name),
        )
      ).kits,
    ).toEqual(left);
  });

  test("[C116] where no command may run, receives neither the guides of tools that run one nor their kits", async () => {
    const { guides, kits } = await received(["deny shell.run"]);
    expect(guides).toContain("file_manager");
    for (const name of ["bash_manager", "git_manager", "test_runner"]) expect(guides).not.toContain(name);
    expect(kits).toEqual([]);
  });
});

test("[C116] a model with the standard tools receives the kits with those, and no guide of another tool", async () => {
  const { guides, kits, text } = await received([], standardTools());
  expect([guides, kits]).toEqual([[], KITS]);
  expect(text).toContain("1. Write a test (`write`)");
  expect(text).not.toContain("_manager");
});
