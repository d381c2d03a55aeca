export const MANAGERS: ReadonlySet<string> = new Set(["npm", "pnpm", "yarn", "bun", "npx", "pnpx", "bunx"]);

export const HOOK_FOLDER = /(?:^|\/)(?:\.husky|\.githooks|\.git\/hooks)\//;

/** What installing and packing run by themselves. */
const INSTALLING =
  "preinstall install postinstall prepublish preprepare prepare postprepare dependencies".split(" ");

const PACKING = "prepublishOnly prepublish prepack prepare postpack publish postpublish".split(" ");

const VERSIONING = "preversion version postversion".split(" ");

export const LIFECYCLE: Readonly<Record<string, readonly string[]>> = {
  test: ["test"],
  t: ["test"],
  start: ["start"],
  stop: ["stop"],
  restart: ["restart", "stop", "start"],
  install: INSTALLING,
  i: INSTALLING,
  ci: INSTALLING,
  add: INSTALLING,
  update: INSTALLING,
  uninstall: INSTALLING,
  remove: INSTALLING,
  pack: PACKING,
  publish: PACKING,
  version: VERSIONING,
};

export const OTHERS: ReadonlySet<string> = new Set(
  "ls list outdated view info audit why explain root bin help".split(" "),
);
