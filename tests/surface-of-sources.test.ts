import * as ai from "@toolkeep/ai";
import * as langchain from "@toolkeep/ai/langchain";
import * as openAiAgents from "@toolkeep/ai/openai-agents";
import * as mcp from "@toolkeep/mcp";
import * as openapi from "@toolkeep/openapi";
import * as program from "toolkeep";
import { expect, test } from "vitest";

/** A red pin is not forbidden; it is deliberate: change it together with the documents and a changeset. */

test("the values that @toolkeep/mcp exports", () => {
  expect(Object.keys(mcp).toSorted()).toEqual([
    "BUILT_IN_MAPS",
    "approvalQueue",
    "connect",
    "definitionTexts",
    "diagnosticText",
    "effectsOf",
    "expandEntry",
    "fileAcceptedServers",
    "fileTokenStore",
    "mapFor",
    "memoryAcceptedServers",
    "memoryTokenStore",
    "openBrowser",
    "openGateway",
    "openMcpSource",
    "plainName",
    "prefixedName",
    "readServerSettings",
    "readServers",
    "requirementsOf",
    "serveMcp",
    "serverFingerprint",
    "settingsFor",
  ]);
});

test("the values that @toolkeep/openapi exports", () => {
  expect(Object.keys(openapi).toSorted()).toEqual([
    "fromOpenApiFile",
    "fromOpenApiSpec",
    "fromOpenApiString",
    "fromOpenApiUrl",
  ]);
});

test("the values that the doors of @toolkeep/ai export", () => {
  expect(Object.keys(ai).toSorted()).toEqual([
    "fromAiSdk",
    "govern",
    "memoryStore",
    "sdkApprover",
    "toAiSdk",
  ]);
  expect(Object.keys(openAiAgents).toSorted()).toEqual(["fromOpenAiAgents", "toOpenAiAgents"]);
  expect(Object.keys(langchain).toSorted()).toEqual(["fromLangChain", "toLangChain"]);
});

test("the values that the program exports for whoever runs it within another", () => {
  expect(Object.keys(program).toSorted()).toEqual(["VERSION", "runProgram"]);
});
