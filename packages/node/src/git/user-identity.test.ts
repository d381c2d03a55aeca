import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { temporaryFolder } from "../../../../tests/temporary-folder.ts";
import { userIdentity } from "./user-identity.ts";

let home: string;

beforeEach(() => {
  home = temporaryFolder();
});

test("name and address of the user are taken, with what is included, and nothing else", async () => {
  writeFileSync(join(home, "more"), '[user]\n\temail = "ada@example.com"\n\tsigningkey = K\n');
  writeFileSync(
    join(home, ".gitconfig"),
    '[user]\n\tname = Ada \\"A\\" L\n[include]\n\tpath = more\n[credential]\n\thelper = store\n',
  );
  expect(await userIdentity("git", home)).toBe(
    '[user]\n\tname = "Ada \\"A\\" L"\n\temail = "ada@example.com"\n',
  );
});

test("without a configuration, or with values of several lines, there is none", async () => {
  expect(await userIdentity("git", home)).toBeUndefined();
  writeFileSync(join(home, ".gitconfig"), '[user]\n\tname = "a\\nb"\n');
  expect(await userIdentity("git", home)).toBeUndefined();
});
