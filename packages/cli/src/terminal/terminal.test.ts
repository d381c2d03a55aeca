import { expect, test } from "vitest";
import { confirmed, type Terminal } from "./terminal.ts";

const terminal = (more: Partial<Terminal>): Terminal => ({
  json: false,
  cwd: "/",
  isInteractive: true,
  isQuiet: false,
  show: () => {},
  note: () => {},
  confirm: async () => true,
  ...more,
});
const CONFIRMATION = { question: "Accept?", refused: "No." };

test("a user cannot confirm what --quiet hides", async () => {
  await expect(confirmed({ ...CONFIRMATION, yes: undefined }, terminal({ isQuiet: true }))).rejects.toThrow(
    /--quiet/,
  );
  await confirmed({ ...CONFIRMATION, yes: true }, terminal({ isQuiet: true }));
  await confirmed({ ...CONFIRMATION, yes: undefined }, terminal({}));
});

test("without an interactive terminal the error says to run again with --yes", async () => {
  const closed = terminal({ isInteractive: false, confirm: async () => false });
  await expect(confirmed({ ...CONFIRMATION, yes: undefined }, closed)).rejects.toMatchObject({
    message: "Confirmation is required, but this is not an interactive terminal.",
    hint: "Run again with --yes.",
  });
});
