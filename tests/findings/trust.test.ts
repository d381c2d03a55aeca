import { join } from "node:path";
import { expect, test } from "vitest";
import { describeInJail, type JailUser } from "../jail/describe-in-jail.ts";
import { runInJail } from "../jail/outer-jail.ts";
import type { Scenes } from "./trust/all-scenes.ts";

const WHOLE = "allow fs.write, ask net.fetch, deny shell.run";
const NARROW = "ask net.fetch, deny shell.run";

async function play(as: JailUser): Promise<Scenes> {
  const script = join(import.meta.dirname, "trust/all-scenes.ts");
  const { stdout, stderr } = await runInJail({ script, as, timeoutMs: 280_000 });
  expect(stderr).toBe("");
  return JSON.parse(stdout);
}

describeInJail({ title: "a project that was trusted", play }, (scenes) => {
  test("[attack A1] what a tool loads when it is called is evaluated only as it was trusted", () => {
    const { lazy } = scenes();
    expect(Object.keys(lazy)).toHaveLength(13);
    for (const [name, { unchanged, changed, asked, trusted }] of Object.entries(lazy)) {
      expect([name, unchanged]).toEqual([name, expect.stringMatching(/^good, asked [12]$/)]);
      expect([name, changed, asked.length, trusted]).toEqual([name, "refused", 1, "EVIL"]);
    }
    expect(lazy["a name that nothing foretells"]?.asked).toEqual([
      "grown node_modules/pkg/deep.js node_modules/pkg/impl.js",
    ]);
    expect(lazy["a package's computed require"]?.asked).toEqual(["changed node_modules/pkg/rules/one.js"]);
  });

  test("[attack A1] a package that a command rewrote does not run in the host process", () => {
    const { open, guarded } = scenes().whole;
    expect(open).toEqual({
      ...{ commandExit: 0, tool: expect.stringContaining("is not what was trusted"), ran: false },
      ...{ asked: ["new", "changed node_modules/pkg/rules/one.js"], host: "loaded" },
    });
    const refused = { commandExit: 2, tool: "good", ran: false, asked: ["new"], host: "loaded" };
    expect(guarded).toEqual(refused);
  });

  test("[attack A2] what a trusted project forbids outlives whatever changes in it", () => {
    const { narrowing } = scenes();
    const told = { isTold: true };
    for (const name of NARROWED)
      expect([name, narrowing[name]]).toEqual([name, { before: WHOLE, after: NARROW, ...told }]);
    for (const name of LINKED) {
      const both = { before: `${WHOLE}, bash`, after: `${NARROW}, bash` };
      expect([name, narrowing[name]]).toEqual([name, { ...both, ...told }]);
    }
    for (const name of ["what a tool imports changes", "a package changes"])
      expect([name, narrowing[name]]).toEqual([name, { before: WHOLE, after: WHOLE, ...told }]);
    const added = "ask net.fetch, deny fs.delete, deny shell.run";
    expect(narrowing["a deny is added"]).toEqual({ before: WHOLE, after: added, ...told });
    expect(narrowing["a configuration is added further down"]).toEqual({
      ...{ before: WHOLE, after: `allow fs.write, ${added}`, ...told },
    });
    expect(Object.keys(narrowing)).toHaveLength(NARROWED.length + LINKED.length + 4);
  });

  test(`[attack A2] a hook keeps to it, until \`toolkeep trust\` is typed`, () => {
    expect(scenes().hook).toEqual(["deny, told", "ask, told", "asked 4", "trusted 0", "allow"]);
  });

  test("[attack A5] a policy that could not be read when it was trusted does not apply later", () => {
    const { missing, "too large": large, ...others } = scenes().unread;
    expect(others).toEqual({
      "a link out": Array(2).fill("void: it is a link that leads out of its folder."),
      "everybody may write to it": Array(2).fill(
        "void: everybody may write to it; take that away with `chmod o-w`.",
      ),
    });
    expect(large).toEqual([
      "void: it is larger than 1000000 bytes.",
      expect.stringMatching(/^void: .*what it forbade then was not kept/s),
    ]);
    // What it allows does not count.
    expect(missing).toEqual([expect.stringMatching(/^void: it is not there\./), ""]);
  });

  test("[attack A12] a skill behind a link is not read once it changed", () => {
    expect(scenes().skill).toEqual(["good", "nothing"]);
  });

  test("[attack A12] what a link of a project leads to is asked about when it changes", () => {
    expect(scenes().linked).toEqual({
      "skills in another folder": ["new", "changed skills/s/SKILL.md"],
      "a skill that is added there": ["new", "grown skills/t/SKILL.md"],
      "a link behind a link": ["new", "changed two/s/SKILL.md"],
      "one file": ["new", "changed docs/agents.md"],
      "the policy": ["new", "changed conf/policy.yaml"],
      "the servers": ["new", "changed conf/servers.json"],
      "the whole folder": ["new", "changed conf/skills/s/SKILL.md"],
      "a link to itself": ["new", "changed skills/a.md"],
    });
  });
});

const NARROWED = [
  "one letter",
  "a deny is gone",
  "an empty policy",
  "no policy at all",
  "the file is gone",
  "a folder in its place",
  "everybody may write to it now",
  "a link to another",
];
const LINKED = [
  "a linked configuration is emptied",
  "a linked configuration is gone",
  "a configuration in a linked folder is gone",
];
