import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { RECOMMENDED_POLICY } from "@toolkeep/core/policy";
import { bubblewrapSandbox, openSandbox, openWorkspace } from "@toolkeep/node";
import { standardTools } from "@toolkeep/tools";
import { expect, test } from "vitest";

const sandbox = await openSandbox({ prefer: [bubblewrapSandbox()], orNone: true });
const isRoot = process.getuid?.() === 0;

test.skipIf(sandbox.isolation === "none")(
  "in a sandbox code that was written runs unasked, also that of a package, and emptying new work asks",
  async () => {
    const base = realpathSync(mkdtempSync(join(tmpdir(), "toolkeep-code-")));
    chmodSync(base, 0o711);
    const root = join(base, "root");
    const pack = join(root, "node_modules/pack");
    mkdirSync(pack, { recursive: true });
    writeFileSync(join(pack, "a.test.mjs"), "import test from 'node:test'; test('a', () => {});\n");
    writeFileSync(join(root, "new.txt"), "work of an hour\n");
    if (isRoot) execFileSync("chown", ["-R", "12345:12345", root]);
    const asked: string[] = [];
    const workspace = await openWorkspace({ roots: [root], sandbox, sidecars: join(base, "sidecars") });
    try {
      await using session = await workspace.createSession({
        tools: standardTools(),
        policy: RECOMMENDED_POLICY,
        approver: async ({ effects }) => {
          asked.push(...effects.map(({ capability }) => capability));
          return { verdict: "reject" };
        },
      });
      const outputs: unknown[] = [];
      for (const command of [
        "echo 'print(6 * 7)' > /tmp/z.py",
        "python3 /tmp/z.py",
        "cd node_modules/pack && node --test",
      ])
        outputs.push((await session.call("bash", { command })).data);
      expect(asked).toEqual([]);
      expect(JSON.stringify(outputs[1])).toContain("42");
      expect(JSON.stringify(outputs[2])).toContain("pass 1");
      await session.call("bash", { command: ": > new.txt" });
      expect(asked).toContain("fs.delete");
    } finally {
      await workspace.close();
      rmSync(base, { recursive: true, force: true });
    }
  },
);
