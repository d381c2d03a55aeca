import type { Kit } from "@toolkeep/core/ports";

/*
 * A step names the tool for exactly this work first, and then the standard tool that can do it too, so that a kit is the
 * same with either set.
 */
const WRITE = ["file_manager", "write"];
const CHANGE = ["diff_editor", "edit", "file_manager"];
const TEST = ["test_runner", "bash"];
const RUN = ["bash_manager", "bash"];
const GIT = ["git_manager", "bash"];
const LINT = ["lsp_manager", "bash"];
const FIND = ["code_search", "grep", "search"];

/**
 * The four workflows that agents are given for work on code: `tdd_workflow`, `debug_cycle`, `project_setup` and
 * `code_quality`.
 */
export const STANDARD_KITS: readonly Kit[] = Object.freeze([
  {
    name: "tdd_workflow",
    description: "Build something test first.",
    steps: [
      {
        action: "Write a test",
        tools: WRITE,
        note: "It says what the new code has to do, and nothing else.",
      },
      { action: "Run the test", tools: TEST, note: "It has to fail, and for the reason you expect." },
      { action: "Implement", tools: CHANGE, note: "As little as makes the test pass." },
      { action: "Run the test", tools: TEST, note: "It has to pass, with all others." },
      {
        action: "Refactor",
        tools: CHANGE,
        note: "Behaviour stays the same; run the tests again afterwards.",
      },
    ],
  },
  {
    name: "debug_cycle",
    description: "Find the cause of a bug and fix it.",
    steps: [
      { action: "Reproduce", tools: TEST, note: "Make it fail in front of you, best with a test." },
      {
        action: "Diagnose",
        tools: FIND,
        note: "Find the place where what happens first differs from what should.",
      },
      { action: "Fix", tools: CHANGE, note: "Fix the cause, not the symptom." },
      { action: "Verify", tools: TEST, note: "What failed has to pass now, and nothing else may fail." },
    ],
  },
  {
    name: "project_setup",
    description: "Begin a new project.",
    steps: [
      {
        action: "Create the structure",
        tools: WRITE,
        note: "Folders, manifest, a first source file and a first test.",
      },
      { action: "Initialize Git", tools: GIT, note: "With a `.gitignore` before the first commit." },
      { action: "Install the dependencies", tools: RUN, note: "Only those that are needed now." },
      { action: "Verify", tools: TEST, note: "The first test has to run and pass." },
    ],
  },
  {
    name: "code_quality",
    description: "Improve code without changing what it does.",
    steps: [
      { action: "Lint", tools: LINT, note: "Take the checks that the project has." },
      {
        action: "Analyze",
        tools: FIND,
        note: "Find what the findings have in common, and who uses that code.",
      },
      { action: "Fix", tools: CHANGE, note: "One kind of finding at a time." },
      { action: "Verify", tools: TEST, note: "Lint and test again." },
    ],
  },
]);
