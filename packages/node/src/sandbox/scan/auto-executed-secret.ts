/** Files with secrets that also decide what is run or who may log in, such as the settings of a package manager. */
export const AUTO_EXECUTED_SECRET = new RegExp(
  `(?:^|/)(?:${[
    "\\.(?:env|npmrc)[^/]*",
    "\\.terraformrc",
    "\\.my\\.cnf",
    "\\.docker/config\\.json",
    "\\.aws/(?:config|credentials|cli/alias)",
    "\\.azure/(?:config|cliextensions)",
    "\\.kube/(?:config|kuberc)",
    "\\.gnupg/[^/]+\\.conf",
    "\\.ssh/(?:config|rc|environment|authorized_keys2?)",
    "\\.config/gh/config\\.yml",
  ].join("|")})$`,
  "i",
);
