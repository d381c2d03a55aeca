import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { runInJail, whyNoJail } from "../jail/outer-jail.ts";

const SCENES = join(import.meta.dirname, "shown-text/scenes.ts");

interface Ran {
  readonly code: number | null;
  readonly output: string;
  readonly ms: number;
  readonly isStarted?: boolean;
}

type Scenes = Readonly<Record<"claude" | "vscode" | "write" | "slashes" | "tooLarge", Ran>> & {
  readonly asking: { readonly ms: number; readonly shown: number };
};

describe.each(["root", "user"] as const)("what a person is shown, as %s", (as) => {
  const why = whyNoJail(as);
  let scenes: Scenes;
  beforeAll(async () => {
    if (why !== undefined) return;
    const { stdout, stderr } = await runInJail({ script: SCENES, as, timeoutMs: 240_000 });
    scenes = JSON.parse(stdout || JSON.stringify({ stderr }));
  }, 250_000);

  test.skipIf(why !== undefined)(
    `[attack 09] install shows the command of every server it accepts (${why ?? as})`,
    () => {
      for (const { code, output, isStarted } of [scenes.claude, scenes.vscode]) {
        expect(code, output).toBe(0);
        // Once in the difference and once in its own lines.
        expect(output.split("touch /tmp/PWNED-server").length, output).toBeGreaterThan(3);
        expect(output).toContain('sh -c "touch /tmp/PWNED-env"');
        expect(output).toContain("NODE_OPTIONS=--require=/tmp/ws/evil.js");
        expect(output).toContain("https://evil.test/mcp");
        expect(output).not.toContain("t0ps3cret");
        expect(isStarted).toBe(false);
      }
    },
  );

  test.skipIf(why !== undefined)(
    `[attack 10] a call that asks with a million letters does not stop the session (${why ?? as})`,
    () => {
      expect(scenes.asking.ms).toBeLessThan(2_000);
      expect(scenes.asking.shown).toBeGreaterThan(9_000);
      expect(scenes.asking.shown).toBeLessThan(30_000);
    },
  );

  test.skipIf(why !== undefined)(
    `[attack 10] the hook answers in time, whatever it is given (${why ?? as})`,
    () => {
      for (const { code, output, ms } of [scenes.write, scenes.slashes]) {
        expect(ms, output).toBeLessThan(30_000);
        expect(output).toMatch(/"permissionDecision":"(?:ask|deny)"|could not decide/);
        expect([0, 2]).toContain(code);
      }
      expect(scenes.tooLarge).toMatchObject({ code: 2 });
      expect(scenes.tooLarge.output).toContain("too large");
    },
  );
});
