import { join } from "node:path";
import { build } from "rolldown";
import { expect, test } from "vitest";

const SOURCES = join(import.meta.dirname, "../../packages/ai/src");

/** The packages that an entry point loads. */
async function packagesOf(entryPoint: string): Promise<readonly string[]> {
  const external = new Set<string>();
  await build({
    input: join(SOURCES, entryPoint),
    platform: "neutral",
    tsconfig: false,
    write: false,
    external(id) {
      const isPackage = /^[@a-z]/.test(id);
      if (isPackage) external.add(/^(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? id);
      return isPackage;
    },
  });
  return [...external].toSorted();
}

test.each([
  ["index.ts", ["@toolkeep/core", "ai"]],
  ["openai-agents.ts", ["@openai/agents", "@toolkeep/core"]],
  ["langchain.ts", ["@langchain/core", "@toolkeep/core"]],
])("%s needs its own framework and no other", async (entryPoint, packages) => {
  expect(await packagesOf(entryPoint)).toEqual(packages);
});

test("what an approver for OpenAI Agents needs comes with its own entry point", async () => {
  const { sdkApprover } = await import("@toolkeep/ai/openai-agents");
  expect(await sdkApprover.approve({} as never, new AbortController().signal)).toBe("later");
});
