import { PROGRAM_KINDS, wordsIn } from "@toolkeep/catalog/internal";
import { bareName } from "../forms/command-forms.ts";

/** Commands that load and run what they are given. What is given from elsewhere is not code of the project. */
const CODE_RUNNERS = wordsIn(PROGRAM_KINDS.codeRunners);

const HOOK_PATH = /(?:^|\/)(?:\.husky|\.githooks|hooks)\/[\w-]+$/;

/** Whether a command runs code: that of the folder it runs in, or what it is given. */
export function runsCode([name = ""]: readonly string[]): boolean {
  return CODE_RUNNERS.has(bareName(name)) || HOOK_PATH.test(name);
}
