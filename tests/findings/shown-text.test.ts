import { dirname, join, relative } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "../../scripts/root.ts";
import { bundledProgram } from "../cli/bundled-program.ts";
import { describeInJail, type JailUser } from "../jail/describe-in-jail.ts";
import { runInJail } from "../jail/outer-jail.ts";

interface Ran {
  readonly code: number | null;
  readonly output: string;
  readonly ms: number;
  readonly isStarted?: boolean;
}

interface Scenes {
  readonly write: Ran;
  readonly slashes: Ran;
  readonly asking: { readonly ms: number; readonly shown: number };
  /** What is the same for every user, played for one. */
  readonly once?: Readonly<Record<"claude" | "vscode" | "tooLarge", Ran>>;
}

async function play(as: JailUser): Promise<Scenes> {
  const [folder, program] = ["/run/program", await bundledProgram()];
  const packages = join(dirname(program), "../..");
  const { stdout, stderr } = await runInJail({
    script: join(import.meta.dirname, "shown-text/scenes.ts"),
    args: [join(folder, "packages", relative(packages, program)), as === "user" ? "once" : "again"],
    // Its own folder is closed to all but its owner.
    mounts: [
      ...["--perms", "0755", "--dir", folder, "--ro-bind", packages, `${folder}/packages`],
      ...["--symlink", join(ROOT, "node_modules"), `${folder}/node_modules`],
    ],
    ...{ as, timeoutMs: 280_000 },
  });
  expect(stderr).toBe("");
  return JSON.parse(stdout);
}

describeInJail({ title: "what a person is shown", play }, (scenes, as) => {
  if (as === "user")
    test("[attack 09] install shows the command of every server it accepts", () => {
      for (const ran of [scenes().once?.claude, scenes().once?.vscode]) {
        const output = ran?.output ?? "";
        expect(ran?.code, output).toBe(0);
        // Once in the difference and once in its own lines.
        expect(output.split("touch /tmp/PWNED-server").length, output).toBeGreaterThan(3);
        expect(output).toContain('sh -c "touch /tmp/PWNED-env"');
        expect(output).toContain("NODE_OPTIONS=--require=/tmp/ws/evil.js");
        expect(output).toContain("https://evil.test/mcp");
        expect(output).not.toContain("t0ps3cret");
        expect(ran?.isStarted).toBe(false);
      }
    });

  test("[attack 10] a call that asks with a million letters does not stop the session", () => {
    expect(scenes().asking.ms).toBeLessThan(60_000);
    expect(scenes().asking.shown).toBeGreaterThan(9_000);
    expect(scenes().asking.shown).toBeLessThan(30_000);
  });

  test("[attack 10] the hook answers in time, whatever it is given", () => {
    for (const { code, output, ms } of [scenes().write, scenes().slashes]) {
      expect(ms, output).toBeLessThan(29_000);
      expect(output).toMatch(/"permissionDecision":"(?:ask|deny)"|could not decide/);
      expect([0, 2]).toContain(code);
    }
  });

  if (as === "user")
    test("[attack 10] the hook refuses what is too large to be read", () => {
      expect(scenes().once?.tooLarge).toMatchObject({
        code: 2,
        output: expect.stringContaining("too large"),
      });
    });
});
