/** Programs that fetch a package and start it, with the subcommands that do so. Without any, they always do. */
export const RUNNERS: Readonly<Record<string, string>> = {
  ...{ npx: "", pnpx: "", bunx: "", uvx: "", dnx: "", rvx: "", pkgx: "" },
  npm: "exec x create init innit",
  pnpm: "dlx create",
  yarn: "dlx create",
  yarnpkg: "dlx create",
  bun: "x create",
  pipx: "run",
  uv: "tool",
  pixi: "exec x",
  gem: "exec",
  dotnet: "dnx",
};

export const PYTHON = /^(?:pyw?|i?pythonw?[\d.]*[dtw]*|pypy[\d.]*)$/;

/** They start what follows on another system. */
export const ELSEWHERE = /^(?:docker|podman|nerdctl|ssh)$/;

export const FETCHED = /^(?:npm|jsr|https?):/;

/** Options before a subcommand may have values. */
export const MOST_OPTIONS = 8;
