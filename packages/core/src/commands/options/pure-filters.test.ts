import { expect, test } from "vitest";
import { splitCommand } from "../../contract/call/effect.ts";
import { isControl, isPureFilter } from "./pure-filters.ts";

test.each([
  "cat",
  "tail -5",
  "tail -n 20",
  "head -c 100",
  "grep -v foo",
  "grep -iE 'a|b' -m 3",
  "grep -A 3 -B2 x",
  "wc -l",
  "sort -rn -k 2 -t :",
  "uniq -c",
  "cut -d , -f 1,2",
  "tr a-z A-Z",
  "sed 's/a/b/g'",
  "sed -n 1,5p",
  "awk '{print $1}'",
  "jq -r .name",
  "tee /dev/null",
])("%s only reads what it is fed", (line) => {
  expect(isPureFilter(splitCommand(line))).toBe(true);
});

test.each([
  "cat a",
  "tail -f log",
  "tail -n 20 a",
  "head -- a",
  "grep foo a",
  "grep -r foo",
  "grep -f patterns",
  "grep --color foo a",
  "sort -o out",
  "sort --compress-program=x",
  "uniq a b",
  "sed 's/a/b/w out'",
  "sed -i s/a/b/",
  "awk 'BEGIN{system(0)}'",
  "awk '{print > \"x\"}'",
  "jq env",
  "tee out",
  "xargs rm",
  "rg foo",
  "sh",
  "/tmp/cat",
])("%s does more", (line) => {
  expect(isPureFilter(splitCommand(line))).toBe(false);
});

test("what ends a line or waits is no more than that", () => {
  for (const line of ["true", "wait", "wait '$!'", "exit 1", "set -euo pipefail"])
    expect(isControl(line)).toBe(true);
  for (const line of ["set -- x", "set -f", "exit x", "wait -n x"]) expect(isControl(line)).toBe(false);
});
