import { expect, test } from "vitest";
import type { CallStart } from "../../contract/store/event.ts";
import { JsonText } from "../../contract/values/json-text.ts";
import { createRedactor } from "../../redaction/redactor.ts";
import { redactEntry } from "./recorder.ts";

test("nothing that the start of a call says has a secret", () => {
  const secret = `ghp_${"a1B2".repeat(9)}`;
  const start: CallStart = {
    type: "call-start",
    callId: "c1",
    tool: "a",
    origin: "code/code",
    arguments: JsonText.of({ secret }),
    effects: [{ capability: "fs.read", target: `/${secret}`, known: "declared", note: secret }],
    allowedBy: `rule: allow fs.read "${secret}"`,
    ruleAt: `/${secret}/policy.yaml:7`,
    observed: { action: "deny", reason: `denies ${secret}` },
  };
  const redacted = redactEntry(start, createRedactor());
  expect(JSON.stringify(redacted)).not.toContain("ghp_");
  expect(JSON.stringify(redacted).split("[redacted:github-token]")).toHaveLength(7);
  expect(Object.keys(redacted)).toEqual(Object.keys(start));
});
