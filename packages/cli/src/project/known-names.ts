/** Conditions that need a name, and what is to be done where nothing says who or what it is. */
export const UNKNOWN_FACTS: Readonly<Record<string, string>> = {
  environment: 'Set `environment` in the administrator\'s configuration, e.g. "production".',
  agent: "Remove the condition: only tokens say which client a person uses (`identity`).",
  tenant: "Set `identity.tenantClaim` in the administrator's configuration, or remove the condition.",
  role: "Remove the condition: this program knows no roles.",
};

/** The tools that this program decides about under their own names. */
export const OWN_TOOLS = [
  ...["read", "write", "edit", "delete", "glob", "grep", "list", "bash", "bash_start", "bash_output"],
  ...["bash_stop", "web_fetch", "web_search", "question", "skill", "task", "todo"],
];
