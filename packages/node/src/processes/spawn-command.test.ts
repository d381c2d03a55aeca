import { once } from "node:events";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../tests/temporary-folder.ts";
import { reported, spawnCommand } from "./spawn-command.ts";

test("where there is no file to report in, no report is waited for", async () => {
  expect(await reported(null)).toBeUndefined();
  expect(await reported(undefined)).toBeUndefined();
});

test("files to copy are found open from 6 on, and those that not everybody may read, or are gone, are empty", async () => {
  const folder = temporaryFolder();
  const copied = ["open", "closed", "gone", "last"].map((name) => join(folder, name));
  for (const [index, path] of copied.entries()) if (index !== 2) writeFileSync(path, `text ${index}\n`);
  chmodSync(join(folder, "closed"), 0o600);
  const { child } = spawnCommand(
    {
      argv: ["/bin/sh", "-c", "cat <&6; echo =; cat <&7; echo =; cat <&8; echo =; cat <&9"],
      environment: { PATH: "/usr/bin:/bin" },
      cwd: "/",
      namespace: { copied },
    },
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  const output = child.stdout === null ? "" : text(child.stdout);
  await once(child, "exit");
  expect(await output).toBe("text 0\n=\n=\n=\ntext 3\n");
});
