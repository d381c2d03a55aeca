import { type Reading, readCommand } from "@toolkeep/catalog";
import { expect, test } from "vitest";
import { commandEffects } from "./command-effects.ts";

test("what is known of a command besides the catalogue counts instead of what that says", () => {
  const known = readCommand(["kubectl", "delete", "pod", "web"]) as Reading;
  const reading = { ...known, program: "shopctl", writes: ["/repo/out"] };
  const commands = [{ argv: ["shopctl", "drop"], redirects: [], reading }];
  expect(commandEffects({ plain: true, commands }, "shopctl drop")).toMatchObject([
    { capability: "shell.run", meaning: { program: "shopctl", does: ["k8s.delete"], isWhole: true } },
    { capability: "fs.write", target: "/repo/out" },
  ]);
});
