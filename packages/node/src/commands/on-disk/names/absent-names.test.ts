import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parseCommand } from "../../parse-command.ts";
import { absentNames } from "./absent-names.ts";

let folder = "";
let root = "";
beforeAll(() => {
  // Outside of the temporary folder, which is no private place.
  folder = mkdtempSync(join(realpathSync(homedir()), "absent-names-"));
  root = join(folder, "project");
  mkdirSync(join(root, "sub"), { recursive: true });
  writeFileSync(join(folder, "notes.md"), "x");
  for (const name of [".env.local", ".env.example"]) writeFileSync(join(root, name), "DEBUG=0");
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function absent(line: string): Promise<readonly string[]> {
  const { commands = [] } = await parseCommand(line, { home: homedir(), folder: root });
  const effects = await absentNames({ line, commands, folder: root }, { roots: [root] });
  expect(effects.every((effect) => effect.implied === true && effect.withoutSecrets === true)).toBe(true);
  return effects.map(({ capability }) => capability);
}

test.each([
  "gh api /repos/a/b",
  "awk '/ERROR/ {n+=1} END {print n}' app.log",
  "kubectl exec api-0 -- ls /no-such-folder",
  "aws logs tail /aws/lambda/orders",
  "prog ../no-such-file",
])("%s names nothing that is there", async (line) => {
  expect(await absent(line)).toContain("shell.run");
});

test("the text that a here-document writes names nothing that is there", async () => {
  const line = "cat > app.js <<'EOF'\napp.get('/users', (q, r) => r.send('/a/b'));\nEOF\n";
  expect(await absent(line)).toContain("shell.dynamic");
});

test.each([
  () => `prog ${folder}/notes.md`,
  () => "prog ../notes.md",
  () => "cd sub && prog ../../notes.md",
  () => `prog /no-such-file ${folder}/notes.md`,
  () => "prog '/no-such-*'",
  () => "prog '~/no-such-file'",
  () => "prog /no-such-folder/.env",
  () => "cat .env.local",
  () => "cp .env.example .env.local",
  () => "cp -r conf . && cat .env.test",
  () => "git checkout HEAD~1 -- .env.test && cat .env.test",
  () => "tar xf backup.tar && cat .env.test",
  () => "sed -i '1e x' .env.test",
  () => "cp .env.example '.env.$X'",
  () => `python3 - <<'EOF'\nprint(open('${folder}/notes.md').read())\nEOF\n`,
  () => "for f in ../*.md; do prog $f; done",
])("of a file that is there, or may be, nothing is said: %#", async (line) => {
  expect(await absent(line())).toEqual([]);
});

test.each([
  ["cp .env.example .env.test", 1],
  ["cp .env.example .env.test && sed -i 's/DEBUG=0/DEBUG=1/' .env.test", 2],
  ["touch sub/.env && chmod 600 sub/.env", 2],
  ["cat .env.test", 1],
])("%s makes the file that has the name of a secret, and reads none", async (line, commands) => {
  expect((await absent(line)).filter((capability) => capability === "shell.run")).toHaveLength(commands);
});

test("a command without such names has nothing to say", async () => {
  expect(await absent(`ls -la && cat README.md ${join(tmpdir(), "x")}`)).toEqual([]);
});
