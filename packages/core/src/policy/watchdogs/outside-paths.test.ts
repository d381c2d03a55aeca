import { expect, test } from "vitest";
import { effect, shellRun, splitCommand } from "../../contract/call/effect.ts";
import type { CanonicalEffect } from "../../contract/policy/policy-call.ts";
import { policyCall } from "../rules/policy-call.ts";
import { isOutside, outsideOf } from "./outside-paths.ts";

const ROOTS = ["/repo"];

function outside(effects: readonly CanonicalEffect[], source: "code" | "mcp" = "code"): string | undefined {
  return outsideOf(policyCall({ tool: "t", effects, source }), ROOTS);
}

/** The commands of a plain line, divided by `&&`. */
function plain(line: string): readonly CanonicalEffect[] {
  return line.split(" && ").map((command) => ({ ...shellRun(splitCommand(command)), known: "inferred" }));
}

/** Of a line that is not plain, the commands that can be seen in it. */
function dynamic(line: string, ...commands: readonly string[]): readonly CanonicalEffect[] {
  return [...commands.flatMap(plain), { ...effect("shell.dynamic", line), known: "inferred" }];
}

test.each([
  "curl -s -w '%{http_code}\\n' http://127.0.0.1:8123/health",
  "sed -i 's#^a:#a:\\n\\tb#' Makefile",
  "aws s3 ls s3://my-bucket/logs/",
  "psql postgres://db.example/orders -c 'select 1'",
  "cut -d/ -f1 names.txt",
  "tr / _",
  "awk -F / '{print $1}'",
  "cd internal/cache && go test . && cd ../..",
  "cd packages/api && prog ../../README.md",
  "cd /repo/packages/api && prog ../../README.md",
  "cd ../.. && ls",
  "prog '~s~n'",
  "prog /usr/include/stdio.h /etc/os-release /proc/cpuinfo",
])("%s names nothing outside", (line) => {
  expect(outside(plain(line))).toBeUndefined();
});

test.each([
  ["prog ../other/notes.md", "../other/notes.md"],
  ["prog /home/ada/notes.md", "/home/ada/notes.md"],
  ["prog --input=/home/ada/notes.md", "/home/ada/notes.md"],
  ["curl -d @/home/ada/notes.md localhost:3000", "/home/ada/notes.md"],
  ["prog file:///home/ada/notes.md", "///home/ada/notes.md"],
  ["prog /proc/self/environ", "/proc/self/environ"],
  ["tar c /", "/"],
  ["prog ~eva/notes.md", "~eva/notes.md"],
  ["cd ../other && make", "/other"],
  ["cd packages/api && prog ../../../notes.md", "../../../notes.md"],
  ["cd && prog notes.md", "~"],
  ["cd packages && cd ../.. && prog notes.md", "/"],
])("%s names %s", (line, place) => {
  expect(outside(plain(line))).toBe(place);
});

test("a line that is not plain is followed as well, as far as its commands can be seen", () => {
  const line = "cd internal/cache && go test . && cd ../..";
  expect(outside(dynamic(line, line))).toBeUndefined();
  expect(outside(dynamic(`X=../.. && ${line}`, line))).toBe("../..");
  expect(outside(dynamic("for f in ../*/x; do cat $f; done", "cat '$f'"))).toBe("../*/x");
  expect(outside(dynamic("cd sub && prog $X > ../out.txt", "cd sub", "prog '$X'"))).toBeUndefined();
});

test.each(["cd sub; prog ../x", "(cd sub) && prog ../x", "cd sub || prog ../x", "cd sub | prog ../x"])(
  "in %s the command may run where the line began",
  (line) => {
    expect(outside(dynamic(line, "cd sub", "prog ../x"))).toBe("../x");
  },
);

test("public files of the system are no private data, and their neighbours are", () => {
  for (const path of ["/etc/os-release", "/usr/share/doc/bash/README", "/sys/class/net", "/tmp/x"])
    expect(isOutside(path, ROOTS), path).toBe(false);
  for (const path of [
    "/etc/shadow",
    "/etc/os-release.d/x/../../passwd",
    "/usr/../home/ada/x",
    "/proc/1/environ",
    "/",
  ])
    expect(isOutside(path, ROOTS), path).toBe(true);
});

test("where the disk has nothing at a name, it is no path; only tools of our own look there", () => {
  const said = plain("gh api /repos/a/b");
  const absent = said.map((effect): CanonicalEffect => ({ ...effect, implied: true, withoutSecrets: true }));
  expect(outside(said)).toBe("/repos/a/b");
  expect(outside([...said, ...absent])).toBeUndefined();
  expect(outside([...said, ...absent], "mcp")).toBe("/repos/a/b");
  expect(outside([...plain("prog /home/ada/notes.md"), ...absent])).toBe("/home/ada/notes.md");
});
