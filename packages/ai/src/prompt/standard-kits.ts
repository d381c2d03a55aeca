import type { Kit, KitStep } from "@toolkeep/core/ports";

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
  kit("tdd_workflow", "Build something test first.", [
    step("Write a test", WRITE, "It says what the new code has to do, and nothing else."),
    step("Run the test", TEST, "It has to fail, and for the reason you expect."),
    step("Implement", CHANGE, "As little as makes the test pass."),
    step("Run the test", TEST, "It has to pass, with all others."),
    step("Refactor", CHANGE, "Behaviour stays the same; run the tests again afterwards."),
  ]),
  kit("debug_cycle", "Find the cause of a bug and fix it.", [
    step("Reproduce", TEST, "Make it fail in front of you, best with a test."),
    step("Diagnose", FIND, "Find the place where what happens first differs from what should."),
    step("Fix", CHANGE, "Fix the cause, not the symptom."),
    step("Verify", TEST, "What failed has to pass now, and nothing else may fail."),
  ]),
  kit("project_setup", "Begin a new project.", [
    step("Create the structure", WRITE, "Folders, manifest, a first source file and a first test."),
    step("Initialize Git", GIT, "With a `.gitignore` before the first commit."),
    step("Install the dependencies", RUN, "Only those that are needed now."),
    step("Verify", TEST, "The first test has to run and pass."),
  ]),
  kit("code_quality", "Improve code without changing what it does.", [
    step("Lint", LINT, "Take the checks that the project has."),
    step("Analyze", FIND, "Find what the findings have in common, and who uses that code."),
    step("Fix", CHANGE, "One kind of finding at a time."),
    step("Verify", TEST, "Lint and test again."),
  ]),
]);

function kit(name: string, description: string, steps: readonly KitStep[]): Kit {
  return Object.freeze({ name, description, steps: Object.freeze(steps) });
}

function step(action: string, tools: readonly string[], note: string): KitStep {
  return Object.freeze({ action, tools, note });
}
