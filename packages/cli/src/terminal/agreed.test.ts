import { expect, test } from "vitest";
import { agreed } from "./agreed.ts";
import type { Terminal } from "./terminal.ts";

const terminal = (more: Partial<Terminal>): Terminal => ({
  json: false,
  color: false,
  cwd: "/",
  isInteractive: true,
  isQuiet: false,
  show: () => {},
  note: () => {},
  confirm: async () => true,
  ...more,
});
const CONSENT = { question: "Accept?", refused: "No.", hint: "Say --yes." };

test("nobody agrees to what was not shown", async () => {
  await expect(agreed({ ...CONSENT, yes: undefined }, terminal({ isQuiet: true }))).rejects.toThrow(
    /--quiet/,
  );
  await agreed({ ...CONSENT, yes: true }, terminal({ isQuiet: true }));
  await agreed({ ...CONSENT, yes: undefined }, terminal({}));
});
