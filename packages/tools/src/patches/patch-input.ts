/** The argument of tools that apply patches. */
const PATCH = {
  type: "string",
  minLength: 1,
  maxLength: 2_000_000,
  description:
    "Between `*** Begin Patch` and `*** End Patch`, with `*** Add File: path`, `*** Update File: path`, `*** Move to: path` and `*** Delete File: path`; or a unified diff.",
} as const;

/** The arguments of `apply_patch`. */
export const PATCH_INPUT = {
  type: "object",
  properties: { patch: PATCH },
  required: ["patch"],
  additionalProperties: false,
} as const;
