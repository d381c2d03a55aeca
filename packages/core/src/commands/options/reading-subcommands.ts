/*
 * Subcommands that look and change nothing, of programs whose other subcommands do. Each is a list of words, with a `/`
 * between subcommands; `*` is one word, as the kind of a resource. Left out on purpose: what shows secrets, and what runs
 * a program of the caller's choice (`kubectl diff`).
 */
export const READING_SUBCOMMANDS: Readonly<Record<string, string>> = {
  kubectl: "get * / describe * / top * / logs / explain / version / api-resources / config current-context",
  oc: "get * / describe * / logs / explain / version / status",
  helm: "list / status / history / version / search repo / show chart",
  terraform: "validate / version / providers / state list",
  tofu: "validate / version / providers / state list",
  docker:
    "ps / images / logs / stats / version / info / compose ps / compose logs / image ls / volume ls / network ls",
  podman: "ps / images / logs / stats / version / info / image ls / volume ls / network ls",
  gh: "pr list / pr view / pr diff / pr checks / pr status / issue list / issue view / run list / run view / release list / repo view",
  systemctl: "status / list-units / list-timers / is-active / is-enabled",
  npm: "ls / list / outdated / view / why / explain",
  pnpm: "ls / list / outdated / why",
  yarn: "list / outdated / why / info",
  pip: "list / show / freeze / check",
  cargo: "tree / metadata / search",
  go: "list / version / env / doc",
  brew: "list / info / search / outdated",
  apt: "list / show / search",
};
