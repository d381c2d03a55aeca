import { expect, test } from "vitest";
import { runInJail, whyNoJail } from "../../../../../tests/jail/outer-jail.ts";
import { REWRITE_CODE, type RewrittenCodes } from "./rewritten-code.test.kit.ts";

const reason = whyNoJail("user");
const skipped = reason === undefined ? "" : ` (skipped: ${reason})`;

test.skipIf(reason !== undefined)(
  `[C27] what a sandboxed command writes is never run in our process without a question${skipped}`,
  async () => {
    const { stdout, stderr } = await runInJail({ script: REWRITE_CODE, as: "user" });
    expect(stderr).toBe("");
    const { imported, guarded, unlisted } = JSON.parse(stdout) as RewrittenCodes;
    expect(imported).toEqual({
      ...{ exitCode: 0, asked: ["new", "changed src/lib.ts"], ran: false, names: [] },
      untrusted: "it was declined",
    });
    expect(guarded).toEqual({ exitCode: 1, asked: ["new"], ran: false, names: ["a"] });
    expect(unlisted).toEqual({
      ...{ asked: ["new"], ran: false, names: [] },
      untrusted: 'what is in its folder ".toolkeep" cannot be listed (EACCES)',
    });
  },
);
