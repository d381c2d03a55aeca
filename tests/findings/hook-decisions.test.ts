import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { describeInJail } from "../jail/describe-in-jail.ts";
import { runInJail, whyNoJail } from "../jail/outer-jail.ts";
import type { Seen } from "./hook-decisions/scenes.ts";

const SCRIPT = fileURLToPath(new URL("hook-decisions/in-jail.ts", import.meta.url));
const FINDINGS = [
  ["[attack 04]", "a repository that came with the files is not taken by git unasked"],
  ["[attack 05]", "a link that leads out of the workspace is a read of what it leads to"],
  ["[attack 06]", "no version command runs a program that the project names"],
  ["[attack 07]", "no command sends the environment to a registry that the project names"],
  ["[attack 15]", "code that was written freely is not run by a hook of git unasked"],
  ["[attack 18]", "secrets are not read by patterns and recursion"],
  ["[attack 19]", "no start point comes in by a pattern that becomes two args"],
] as const;
/** The allowed and the refused, with the command that is named in its place. */
interface Outcome {
  readonly attacks: readonly Seen[];
  readonly free: readonly { readonly line: string; readonly action: string }[];
  readonly forms: readonly {
    readonly line: string;
    readonly action: string;
    readonly instead?: string;
    readonly formAction?: string;
    readonly showsSecret: boolean;
  }[];
}

async function inJail(as: "root" | "user", mode: "hook" | "naive"): Promise<Outcome> {
  const { stdout, stderr } = await runInJail({ script: SCRIPT, args: [mode], as, timeoutMs: 280_000 });
  const last = stdout.trim().split("\n").at(-1) ?? "";
  if (!last.startsWith("{")) throw new Error(`The script ended without a result: ${stderr.slice(-2_000)}`);
  return JSON.parse(last) as Outcome;
}

const title = "a client without a sandbox that follows the hook";
describeInJail({ title, play: (as) => inJail(as, "hook") }, (outcome) => {
  test.each(FINDINGS)("%s %s", (finding) => {
    const played = outcome().attacks.filter((one) => one.finding === finding);
    expect(played.length).toBeGreaterThan(3);
    expect(played.filter(({ isTripped }) => isTripped)).toEqual([]);
  });

  test("everyday commands stay free in the same clone", () => {
    const { free } = outcome();
    expect(free.length).toBeGreaterThan(15);
    expect(free.filter(({ action }) => action !== "allow")).toEqual([]);
  });

  test("every command that is named in place of a refused one is allowed, and shows no secret", () => {
    const { forms } = outcome();
    expect(forms.length).toBeGreaterThan(5);
    for (const form of forms)
      expect(form).toMatchObject({ action: "deny", formAction: "allow", showsSecret: false });
  });
});

test.skipIf(whyNoJail("user") !== undefined)(
  "control: without the hook every one of these attacks comes to its end",
  async () => {
    const { attacks } = await inJail("user", "naive");
    expect(new Set(attacks.map(({ finding }) => finding)).size).toBe(FINDINGS.length);
    expect(attacks.filter(({ isTripped }) => !isTripped)).toEqual([]);
  },
);
