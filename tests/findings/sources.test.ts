import { join } from "node:path";
import { expect, test } from "vitest";
import { describeInJail, type JailUser } from "../jail/describe-in-jail.ts";
import { runInJail } from "../jail/outer-jail.ts";

async function play(as: JailUser): Promise<Readonly<Record<string, string>>> {
  const script = join(import.meta.dirname, "sources/scenes.ts");
  const { stdout, stderr } = await runInJail({ script, as, timeoutMs: 280_000 });
  expect(stderr).toBe("");
  return JSON.parse(stdout);
}

describeInJail({ title: "tools of a file server", play }, (seen, as) => {
  test("[second attack 15] a folder is not moved with what a deny protects beneath it", () => {
    for (const scene of ["moved whole", "moved from far above", "moved by a name that leads there"])
      expect(seen()[scene], scene).toMatch(/^REFUSED denied: .*a\/private/);
    expect(seen()["read after the moves"]).toMatch(/^REFUSED/);
  });

  test("[second attack 15] a folder is not moved to where its entries may not be written", () => {
    expect(seen()["moved into a denied name"]).toMatch(/^REFUSED denied: .*kept\/locked/);
  });

  test("[second attack 15] a folder is not moved where it cannot be looked through", () => {
    // Root looks into every folder, and finds nothing there.
    const expected = as === "root" ? /^Successfully moved/ : /^REFUSED denied/;
    expect(seen()["moved with a closed folder"]).toMatch(expected);
  });

  test("[second attack 15] names beneath a denied folder are neither listed nor searched for", () => {
    expect(seen()["tree"]).toMatch(/^REFUSED denied: .*a\/private/);
    expect(seen()["search"]).toMatch(/^REFUSED denied: .*a\/private/);
  });

  test("[second attack 15] what a rule asks about beneath a folder is asked about when the folder moves", () => {
    expect(seen()["moved with something to ask about"]).toContain("asked move_file");
  });

  test("[second attack 03] a link that is turned while a person is asked leads nowhere", () => {
    expect(seen()["link turned while a person was asked"]).toMatch(
      /^REFUSED denied: .*; asked read_text_file$/,
    );
  });

  test("files and folders that hold nothing denied are moved without a question", () => {
    expect(seen()["moved a file"]).toMatch(/^Successfully moved/);
    expect(seen()["moved a harmless folder"]).toMatch(/^Successfully moved/);
    expect(seen()["listed a harmless folder"]).toContain("g.txt");
  });
});
