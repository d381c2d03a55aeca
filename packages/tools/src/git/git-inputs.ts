import { COMMAND_LINE } from "../shell/command-inputs.ts";
import { GIT_ACTIONS } from "./git-commands.ts";

const NAME = { type: "string", pattern: "^[^-]", maxLength: 500 } as const;

/** The parameters of a tool for git, apart from its actions. */
const GIT_PARAMETERS = {
  paths: {
    type: "array",
    items: { type: "string", minLength: 1, maxLength: 4_096 },
    minItems: 1,
    maxItems: 1_000,
    description: "Files and folders. Needed for add; limits status, log, diff and show.",
  },
  message: { type: "string", minLength: 1, maxLength: 10_000, description: "Of the commit." },
  ref: {
    ...NAME,
    description:
      "A commit, branch or range (`main..HEAD`), for log, diff and show; where a new branch starts.",
  },
  staged: { type: "boolean", description: "For diff: what is staged. Default: what is not." },
  count: {
    type: "integer",
    minimum: 1,
    maximum: 1_000,
    description: "How many commits log shows. Default: 20.",
  },
  name: { ...NAME, description: "The branch to create, or to push. Without it, branch lists them." },
  remote: { ...NAME, description: "Where push sends to. Default: origin." },
  workdir: COMMAND_LINE.workdir,
} as const;

/** The arguments of `git`. */
export const GIT_INPUT = {
  type: "object",
  properties: { action: { enum: GIT_ACTIONS }, ...GIT_PARAMETERS },
  required: ["action"],
  additionalProperties: false,
} as const;

/** The arguments of `repo_clone`. */
export const CLONE_INPUT = {
  type: "object",
  properties: {
    url: {
      type: "string",
      pattern: "^(?:(?:https?|ssh|git|file)://|[\\w.-]+@[\\w.-]+:|/)\\S+$",
      maxLength: 2_048,
      description: "An address (https, ssh) or the absolute path of a repository on this machine.",
    },
    folder: {
      type: "string",
      pattern: "^[^-]",
      maxLength: 4_096,
      description: "The new folder. Default: the last name of the address.",
    },
    ref: { type: "string", pattern: "^[^-]", maxLength: 500, description: "A branch or tag." },
    depth: { type: "integer", minimum: 1, description: "How many commits back. Default: all." },
  },
  required: ["url"],
  additionalProperties: false,
} as const;
