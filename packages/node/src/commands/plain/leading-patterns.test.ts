import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { putFile, sharedFolder } from "../../../../../tests/temporary-folder.ts";
import { parseCommand } from "../parse-command.ts";

const folder = sharedFolder();
beforeAll(() => {
  const names = ["a.txt", "b.txt", "odd/-rf", "host/x:y", "set/A=b", "version/a@b", "sub/c.txt"];
  for (const name of names) putFile(join(folder, name));
});

const isPlain = async (line: string) => (await parseCommand(line, { home: "/home/me", folder })).plain;

test.each([
  ...["wc -l *", "du -sh * | sort -h | tail", "ls -la ?.txt 2>/dev/null", "head -3 * > out.txt", "cat -- *"],
  ...["cd sub && wc -l *", "bash -c 'cd sub; wc -l *'", "cd sub && bash -c 'wc -l *'", "timeout 5 wc -l *"],
  ...['for f in *; do wc -l "$f"; done', "grep -n x * | head"],
])("a pattern at the beginning of an argument stands for files: %s", async (line) => {
  expect(await isPlain(line)).toBe(true);
});

test("it is written with the folder before it", async () => {
  const { commands } = await parseCommand("wc -l * -c", { home: "/home/me", folder });
  expect(commands?.map(({ argv }) => argv)).toEqual([["wc", "-l", "./*", "-c"]]);
});

test.each([
  ...["cd odd && wc -l *", "cd odd && bash -c 'wc -l *'", "bash -c 'cd odd; wc -l *'", "cd host && ls *"],
  ...["cd set && cat *", "cd version && cat *", "touch x; wc -l *", "wc -l * | tee ./-x", "wc -l * > ./-x"],
  ...["make *", "rm *", "node *", "tar czf a.tgz *", "sort -o a *", "env *", "* x", "npm run *", "[a]* x"],
  ...["wc -l [a]*", 'for f in *; do rm "$f"; done', "cd gone && wc -l *", "tar xf a.tar && ls *"],
])("it may become something else: %s", async (line) => {
  expect(await isPlain(line)).toBe(false);
});

test("it may become anything where the folder is not known", async () => {
  expect((await parseCommand("wc -l *", { home: "/home/me" })).plain).toBe(false);
});
