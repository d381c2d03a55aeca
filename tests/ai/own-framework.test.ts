import { join } from "node:path";
import { build } from "rolldown";
import { expect, test } from "vitest";

const SOURCES = join(import.meta.dirname, "../../packages/ai/src");

/** The packages that an entry point loads at once, and those it loads when they are asked for. */
async function packagesOf(
  entryPoint: string,
): Promise<{ atOnce: readonly string[]; later: readonly string[] }> {
  const { output } = await build({
    input: join(SOURCES, entryPoint),
    platform: "neutral",
    tsconfig: false,
    write: false,
    external: isPackage,
  });
  const chunks = output.filter((file) => file.type === "chunk");
  const atOnce = packageNames(chunks.flatMap((chunk) => chunk.imports));
  const later = packageNames(chunks.flatMap((chunk) => chunk.dynamicImports));
  return { atOnce, later: later.filter((name) => !atOnce.includes(name)) };
}

function packageNames(imports: readonly string[]): readonly string[] {
  const names = imports.filter(isPackage).map((id) => /^(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? id);
  return [...new Set(names)].toSorted();
}

/** Other chunks of the same entry point are files. */
function isPackage(id: string): boolean {
  return /^[@a-z]/.test(id) && !id.endsWith(".js");
}

test.each([
  ["index.ts", ["@toolkeep/core", "ai"]],
  ["openai-agents.ts", ["@openai/agents", "@toolkeep/core"]],
  ["langchain.ts", ["@langchain/core", "@toolkeep/core"]],
])("%s needs its own framework and no other", async (entryPoint, atOnce) => {
  expect(await packagesOf(entryPoint)).toEqual({ atOnce, later: [] });
});

test("what an approver for OpenAI Agents needs comes with its own entry point", async () => {
  const { sdkApprover } = await import("@toolkeep/ai/openai-agents");
  expect(await sdkApprover.approve({} as never, new AbortController().signal)).toBe("later");
});
