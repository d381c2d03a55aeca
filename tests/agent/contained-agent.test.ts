import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAgent } from "@toolkeep/ai";
import type { ApprovalRequest, ToolResult } from "@toolkeep/core";
import { modelText } from "@toolkeep/core/formats";
import { openWorkspace, type WorkspaceOptions } from "@toolkeep/node";
import { standardTools } from "@toolkeep/tools";
import { expect, test } from "vitest";
import { scriptedModel } from "../../packages/ai/src/ai-sdk/scripted-model.test.kit.ts";
import { hasPlaces } from "../../packages/node/src/contain/place/place.test.kit.ts";

const ORDINARY = 12_345;

/** A project, and the folder where layers of it are kept. */
function project() {
  const base = mkdtempSync(join(tmpdir(), "toolkeep-contained-"));
  const [root, folder] = [join(base, "project"), join(base, "contain")];
  spawnSync("git", ["init", "-q", root]);
  writeFileSync(join(root, "notes.txt"), "before\n");
  if (process.getuid?.() === 0) spawnSync("chown", ["-R", `${ORDINARY}:${ORDINARY}`, root]);
  chmodSync(base, 0o711);
  return {
    root,
    folder,
    sidecars: join(base, "sidecars"),
    [Symbol.dispose]() {
      spawnSync("chmod", ["-R", "u+rwx", base]);
      rmSync(base, { recursive: true, force: true });
    },
  };
}

type Project = ReturnType<typeof project>;

/** What an agent that runs these commands, one after the other, is told and asks. */
async function agentWith(
  { root, folder, sidecars }: Project,
  commands: readonly string[],
  more: Partial<WorkspaceOptions> = {},
) {
  const notes: string[] = [];
  await using workspace = await openWorkspace({
    roots: [root],
    sidecars,
    contain: { folder },
    onNote: (note) => notes.push(note),
    ...more,
  });
  const calls = commands.map((command, at) => [{ id: `c${at}`, name: "bash", input: { command } }]);
  const { model } = scriptedModel([...calls, "Done."]);
  const asked: ApprovalRequest[] = [];
  await using agent = await createAgent({
    ...{ model, workspace, tools: standardTools() },
    approver: {
      async approve(request) {
        asked.push(request);
        return { verdict: "once", by: "ada" };
      },
    },
  });
  const results: ToolResult[] = [];
  for await (const event of agent.run("Do it.")) {
    if (event.type === "result") results.push(event.result);
  }
  const allowedBy: string[] = [];
  for await (const event of agent.session.journal.read())
    if (event.type === "call-start") allowedBy.push(event.allowedBy);
  return { told: results.map((result) => modelText(result)), asked, allowedBy, notes };
}

test.runIf(hasPlaces)("an unknown command runs contained, and nobody is asked", async () => {
  using scene = project();
  const command = "python3 -c 'open(\"made.txt\", \"w\").write(\"new\"); print(open(\"notes.txt\").read())'";
  const { told, asked, allowedBy, notes } = await agentWith(scene, [command]);
  expect(notes.filter((note) => note.includes("contained"))).toEqual([]);
  expect(told).toEqual(["before\n\n"]);
  expect(asked).toEqual([]);
  expect(allowedBy).toEqual([expect.stringMatching(/^containment: /)]);
  expect(readFileSync(join(scene.root, "made.txt"), "utf8")).toBe("new");
});
