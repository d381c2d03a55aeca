import { expect, test } from "vitest";
import { runInJail, whyNoJail } from "../../../../tests/jail/outer-jail.ts";
import { CLOSE_OUTPUT, type ClosedOutput } from "./closed-output.test.kit.ts";

const reason = whyNoJail("user");
const skipped = reason === undefined ? "" : ` (skipped: ${reason})`;

test.skipIf(reason !== undefined)(
  `a command that takes away the rights of its own output loses nothing of it${skipped}`,
  async () => {
    const { stdout, stderr } = await runInJail({ script: CLOSE_OUTPUT, as: "user" });
    expect(stderr).toBe("");
    const [short, long] = JSON.parse(stdout) as readonly ClosedOutput[];
    const text = "before\nafter\n";
    expect(short).toMatchObject({ head: text, followed: text });
    const letters = "x".repeat(5_000);
    expect(long).toMatchObject({ head: letters.slice(0, 1_000), followed: letters, kept: letters });
  },
);
