import * as node from "@toolkeep/node";
import * as sqlite from "@toolkeep/sqlite";
import * as tools from "@toolkeep/tools";
import * as authoring from "@toolkeep/tools/authoring";
import { expect, test } from "vitest";

/** A red pin is not forbidden; it is deliberate: change it together with the documents and a changeset. */

test("the values that @toolkeep/sqlite exports", () => {
  expect(Object.keys(sqlite)).toEqual(["openStore"]);
});

test("the values that @toolkeep/node exports", () => {
  expect(Object.keys(node).toSorted()).toEqual([
    "DEFAULT_NETWORK_BOUNDS",
    "addressError",
    "bubblewrap",
    "canonicalPath",
    "checkPolicy",
    "closeSandboxRuntime",
    "commandsOnDisk",
    "configJsonSchema",
    "container",
    "decisionPoint",
    "declaredEnvironment",
    "definitionOf",
    "diffPolicyFiles",
    "directories",
    "doctor",
    "doctorText",
    "explainPolicy",
    "findProject",
    "folderSkills",
    "folderSource",
    "formatConfigDiagnostic",
    "formatDiagnostic",
    "formatFolderDiagnostic",
    "guardedCommands",
    "guardedFiles",
    "guardedNetwork",
    "importClaude",
    "importGemini",
    "importGeminiPolicy",
    "noSandbox",
    "openSandbox",
    "openWorkspace",
    "parseCommand",
    "pdfReader",
    "policyJsonSchema",
    "probeSandbox",
    "projectTrust",
    "readConfig",
    "readPolicy",
    "safeForms",
    "sandboxProfileFor",
    "sandboxRuntime",
    "startSpawner",
    "testPolicy",
    "trustStore",
  ]);
});

test("the values that @toolkeep/tools exports", () => {
  expect(Object.keys(tools).toSorted()).toEqual([
    "backgroundTools",
    "braveSearch",
    "defaultTools",
    "exaSearch",
    "googleSearch",
    "minimalTools",
    "searxngSearch",
    "shownTools",
    "skillIndex",
    "standardTools",
    "tavilySearch",
  ]);
  expect(Object.keys(authoring).toSorted()).toEqual([
    "askPerson",
    "bashTool",
    "createSeenFiles",
    "createToolIndex",
    "editTool",
    "globTool",
    "grepTool",
    "limitTaskDepth",
    "listTool",
    "questionTool",
    "readTool",
    "searchTool",
    "skillTool",
    "taskTool",
    "todoTool",
    "toolSearchTool",
    "webFetchTool",
    "webSearchTool",
    "writeTool",
  ]);
});

test("[C45] the locked thirteen and the parameters that models have learned", () => {
  const locked = tools.standardTools();
  expect(
    Object.fromEntries(locked.map(({ name, inputSchema }) => [name, parametersOf(inputSchema)])),
  ).toEqual({
    read: "path offset? limit? byte_offset? byte_limit?",
    write: "path content",
    edit: "path old_string new_string replace_all?",
    glob: "pattern path?",
    grep: "pattern path? glob? output_mode? -A? -B? -C? -i? multiline? head_limit?",
    bash: "command description? workdir? timeout?",
    todo: "todos",
    task: "description? prompt subagent_type? background?",
    question: "questions",
    web_search: "query max_results?",
    web_fetch: "url format?",
    skill: "name",
    tool_search: "query limit?",
  });
});

/** The names of parameters in order, those that may be left out with a question mark. */
function parametersOf(schema: unknown): string {
  const { properties = {}, required = [] } = schema as { properties?: object; required?: readonly string[] };
  return Object.keys(properties)
    .map((name) => (required.includes(name) ? name : `${name}?`))
    .join(" ");
}
