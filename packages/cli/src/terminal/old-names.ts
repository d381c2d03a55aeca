/** Former names of commands. They do the same and are shown nowhere. */
export const OLD_NAMES: Readonly<Record<string, string>> = {
  install: "init",
  approve: "approvals approve",
  reject: "approvals reject",
  answer: "approvals answer",
};
