import { readFileSync } from "node:fs";
import { Ajv } from "ajv";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { parsePolicy } from "./parse-policy.ts";
import { policyJsonSchema } from "./policy-json-schema.test.kit.ts";

const validate = new Ajv({ strict: true, allowUnionTypes: true }).compile(policyJsonSchema());

const SAMPLE = `version: 1
mode: ask
extends: [toolkeep:recommended]
allow-list: [read, "bash(git status)"]
rules:
  - allow fs.read "**"
  - allow fs.write "{src,test,docs}/**"
  - ask fs.write "{package.json,.github/**}"
  - deny fs.* "**/.env*"
  - allow shell.run "git {status,diff,log} *"
  - allow shell.run "npm {test,run lint} *" if sandboxed
  - ask git.push "*" never-remember
  - deny git.push "*" if forced because "rewrite history by hand"
  - allow mcp:github:get_*
  - Bash(git:*)
  - deny Bash(rm:*)
  - mcp__server__tool
  - Read(./src/**)
  - WebFetch(domain:example.com)
watchdogs: { rule-of-two: ask, secrets: deny, loop: 5 }
locks: [deploy.run, "payments.*"]
tests:
  - bash: npm test
    sandboxed: true
    expect: allow
  - read: .env
    expect: deny
  - "mcp:github:get_issue": {}
    groups: [a]
    expect: allow
`;

test("policy.schema.json is up to date", () => {
  const stored = readFileSync(new URL("../../policy.schema.json", import.meta.url), "utf8");
  expect(JSON.parse(stored)).toEqual(policyJsonSchema());
});

test("a file without diagnostics is valid", () => {
  expect(parsePolicy(SAMPLE, { file: "policy.yaml" }).diagnostics).toEqual([]);
  expect(validate(parse(SAMPLE)), JSON.stringify(validate.errors)).toBe(true);
});

test.each([
  ["version: 1", "version: 2"],
  ["mode: ask", "mode: maybe"],
  ["mode: ask", "mod: ask"],
  ["allow fs.read", "alow fs.read"],
  ["if sandboxed", "if sandbxed"],
  ["if sandboxed", "unless sandboxed"],
  ["because", "becuse"],
  ["loop: 5", "loop: 1"],
  ["secrets: deny", "secret: deny"],
  ["deploy.run", "deploy run"],
  ["expect: deny", "expect: refuse"],
  ["sandboxed: true", "sandboxed: yes"],
  ["read: .env", "raed: .env"],
])("%s written as %s is refused by the schema and by the parser", (right, wrong) => {
  const broken = SAMPLE.replace(right, wrong);
  expect(validate(parse(broken))).toBe(false);
  expect(parsePolicy(broken, { file: "policy.yaml" }).diagnostics).not.toEqual([]);
});
