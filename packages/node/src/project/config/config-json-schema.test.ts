import { readFileSync } from "node:fs";
import { Ajv } from "ajv";
import { expect, test } from "vitest";
import { ConfigDiagnostics } from "./config-diagnostics.ts";
import { configJsonSchema } from "./config-json-schema.test.kit.ts";
import { readConfigText } from "./read-config-text.ts";

const validate = new Ajv({ strict: true }).compile(configJsonSchema());

const SAMPLE = `{
  "$schema": "config.schema.json",
  "mode": "ask",
  "policy": "policy.yaml",
  "allowed": ["read"],
  "tools": { "bash": { "enabled": true, "timeoutMs": 1000, "own": [1] } },
  "sandbox": { "required": true },
  "network": { "proxy": "off", "privateHosts": ["localhost"] },
  "journal": { "folder": "journals", "keepDays": 30 },
  "roots": ["lib"]
}`;

function diagnosticsOf(text: string) {
  const diagnostics = new ConfigDiagnostics("c.jsonc");
  readConfigText(text, { layer: "user", file: "/c.jsonc", home: "/home/ada", diagnostics });
  return diagnostics.all;
}

test("the file that editors use is up to date", () => {
  const stored = readFileSync(new URL("../../../config.schema.json", import.meta.url), "utf8");
  expect(JSON.parse(stored)).toEqual(configJsonSchema());
});

test("a file that is read without diagnostics is valid", () => {
  expect(diagnosticsOf(SAMPLE)).toEqual([]);
  expect(validate(JSON.parse(SAMPLE)), JSON.stringify(validate.errors)).toBe(true);
});

test.each([
  ['"mode": "ask"', '"mode": "maybe"'],
  ['"mode": "ask"', '"mod": "ask"'],
  ['"policy": "policy.yaml"', '"policy": 3'],
  ['"policy": "policy.yaml"', '"policy": " "'],
  ['["read"]', '"read"'],
  ['["read"]', '[""]'],
  ['"bash": {', '"a bash": {'],
  ['"enabled": true', '"enabled": 1'],
  ['"timeoutMs": 1000', '"timeoutMs": 0'],
  ['"required": true', '"require": true'],
  ['"proxy": "off"', '"proxy": false'],
  ['"keepDays": 30', '"keepDays": 1.5'],
  ['["lib"]', '[["lib"]]'],
])("%s written as %s is valid neither here nor there", (right, wrong) => {
  const broken = SAMPLE.replace(right, wrong);
  expect(broken).not.toBe(SAMPLE);
  expect(validate(JSON.parse(broken))).toBe(false);
  expect(diagnosticsOf(broken)).not.toEqual([]);
});
