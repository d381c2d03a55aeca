import { mkdtempDisposableSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { quickStart } from "../../scripts/quick-starts/quick-start.ts";
import { runProgram } from "../../scripts/run-program.ts";
import { FROM_SOURCE } from "../from-source.ts";
import { ROOT } from "./pages.ts";

test("the route that the README prints pays once, whatever a browser sends", async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "toolkeep-quick-start-"));
  symlinkSync(join(ROOT, "node_modules"), join(folder.path, "node_modules"));
  writeFileSync(join(folder.path, "package.json"), '{ "type": "module" }');
  writeFileSync(join(folder.path, "route.ts"), quickStart(2).code);
  const play = join(ROOT, "scripts/quick-starts/play-chat.ts");
  const end = await runProgram([process.execPath, ...FROM_SOURCE, play], { cwd: folder.path });
  expect(end).toMatchObject({ code: 0, stderr: "" });
});
