/** Former names of commands. They do the same. Help leaves them out, and a terminal is told the new name. */
export const OLD_NAMES: Readonly<Record<string, string>> = {
  install: "init",
  approve: "approvals approve",
  reject: "approvals reject",
  answer: "approvals answer",
};
