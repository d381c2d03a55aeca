import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAgent } from "@toolkeep/ai";
import type { ApprovalRequest, ToolResult } from "@toolkeep/core";
import { modelText } from "@toolkeep/core/formats";
import { openWorkspace, type WorkspaceOptions } from "@toolkeep/node";
import { standardTools } from "@toolkeep/tools";
import { expect, test } from "vitest";
import { scriptedModel } from "../../packages/ai/src/ai-sdk/scripted-model.test.kit.ts";
import { hasPlaces } from "../../packages/node/src/sandbox/contain/place/place.test.kit.ts";

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

test.runIf(hasPlaces)("an unknown command runs contained, and no approver is asked", async () => {
  using scene = project();
  const command = 'python3 -c \'open("made.txt", "w").write("new"); print(open("notes.txt").read())\'';
  const { told, asked, allowedBy, notes } = await agentWith(scene, [command]);
  expect(notes.filter((note) => note.includes("contained"))).toEqual([]);
  expect(told).toEqual(["before\n\n"]);
  expect(asked).toEqual([]);
  expect(allowedBy).toEqual([expect.stringMatching(/^containment: /)]);
  expect(readFileSync(join(scene.root, "made.txt"), "utf8")).toBe("new");
});

const REACHING = `python3 -c 'import urllib.request as r; open("half.txt", "w").write("x"); r.urlopen("http://api.elsewhere.example/data", timeout=5)'`;

test.runIf(hasPlaces)(
  "what an unknown command reaches for is refused and named, and asked about when it comes again",
  async () => {
    using scene = project();
    const { told, asked, allowedBy } = await agentWith(scene, [REACHING, REACHING]);
    expect(told[0]).toContain("Blocked: api.elsewhere.example:80. Applied: no change.");
    expect(told[0]).toContain("To ask the user, run the same command again.");
    expect(asked).toHaveLength(1);
    expect(asked[0]?.effects).toContainEqual(
      expect.objectContaining({
        capability: "net.fetch",
        target: "api.elsewhere.example",
        known: "enforced",
      }),
    );
    expect(allowedBy).toEqual([expect.stringMatching(/^containment: /), "approver: ada, once"]);
    expect(told[1]).not.toContain("ran contained");
    expect(existsSync(join(scene.root, "half.txt"))).toBe(true);
  },
);

test.runIf(hasPlaces)("what is known to be dangerous asks before it runs", async () => {
  using scene = project();
  const { asked, allowedBy } = await agentWith(scene, ["git push --force origin main"]);
  expect(asked.map(({ toolName }) => toolName)).toEqual(["bash"]);
  expect(allowedBy).toEqual(["approver: ada, once"]);
});

test.runIf(hasPlaces)(
  "a server that a contained command starts is reached by the next, and ends with the workspace",
  async () => {
    using scene = project();
    const port = 18_231;
    const { told, asked } = await agentWith(scene, [
      `python3 -c 'import http.server as h; h.test(h.SimpleHTTPRequestHandler, port=${port}, bind="127.0.0.1")' > server.log 2>&1 &`,
      `python3 -c 'import time, urllib.request as r
for _ in range(50):
  try: print(r.urlopen("http://127.0.0.1:${port}/notes.txt").read()); break
  except OSError: time.sleep(0.1)'`,
    ]);
    expect(asked).toEqual([]);
    expect(told[0]).not.toContain("ended with this call");
    expect(told[1]).toContain("before");
    await expect.poll(() => spawnSync("pgrep", ["-f", `port=${port}`]).status, { timeout: 15_000 }).toBe(1);
  },
);

test("where nothing can be contained, the same command asks as it always did", async () => {
  using scene = project();
  // The state is in the project itself, over which there can be no layer then.
  const more = { contain: { folder: join(scene.root, "state") } };
  const { asked, notes, told } = await agentWith(scene, ["python3 -c 'print(6 * 7)'"], more);
  expect(asked.map(({ toolName }) => toolName)).toEqual(["bash"]);
  expect(told).toEqual(["42\n"]);
  if (hasPlaces) expect(notes.join("\n")).toContain("Commands are not contained here");
});

test("a workspace contains nothing unless it is told to", async () => {
  using scene = project();
  const { asked } = await agentWith(scene, ["python3 -c 'print(6 * 7)'"], { contain: false });
  expect(asked.map(({ toolName }) => toolName)).toEqual(["bash"]);
});
