import { COMMAND_LINE } from "../shell/command-inputs.ts";
import { RUNNER_NAMES } from "./runners.ts";

/** The arguments of `test_runner`. */
export const TEST_INPUT = {
  type: "object",
  properties: {
    runner: { enum: RUNNER_NAMES, description: "Default: what the files of the project tell." },
    paths: {
      type: "array",
      items: { type: "string", pattern: "^[^-]", maxLength: 4_096 },
      minItems: 1,
      maxItems: 200,
      description: "Test files, folders or packages. Default: all.",
    },
    name: {
      type: "string",
      pattern: "^[^-]",
      maxLength: 500,
      description: "Only tests with this in their name.",
    },
    workdir: COMMAND_LINE.workdir,
  },
  additionalProperties: false,
} as const;
