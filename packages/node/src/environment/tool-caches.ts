/** Where a build tool or a package manager keeps what it would otherwise build or load again. */
export interface ToolCache {
  readonly name: string;
  /** The variable that names the tool's folder instead. */
  readonly variable?: string;
  /** What the usual folder is in: the home, the user's folder for caches, or `.local/share` of the home. */
  readonly base: "home" | "cache" | "data";
  /** The tool's usual folder. */
  readonly folder: string;
  /** The part of that folder that is the cache. Default: all of it. */
  readonly part?: string;
  /** Whether it holds packages, which a build without network cannot do without. Otherwise it holds results. */
  readonly isPackages?: true;
  /** Names in the cache that may hold addresses with credentials. */
  readonly hidden?: readonly string[];
  /** Files with credentials next to the cache, as seen from the tool's folder. They are never shown with it. */
  readonly secrets?: readonly string[];
}

export const TOOL_CACHES: readonly ToolCache[] = [
  { name: "go-build", variable: "GOCACHE", base: "cache", folder: "go-build" },
  {
    ...{ name: "go-mod", variable: "GOMODCACHE", base: "home", folder: "go/pkg/mod" },
    ...{ isPackages: true, hidden: ["cache/vcs"] },
  },
  { name: "golangci-lint", variable: "GOLANGCI_LINT_CACHE", base: "cache", folder: "golangci-lint" },
  { name: "staticcheck", variable: "STATICCHECK_CACHE", base: "cache", folder: "staticcheck" },
  {
    ...{ name: "npm", variable: "npm_config_cache", base: "home", folder: ".npm", part: "_cacache" },
    ...{ isPackages: true, secrets: ["../.npmrc"] },
  },
  {
    ...{ name: "pnpm", variable: "PNPM_HOME", base: "data", folder: "pnpm", part: "store" },
    ...{ isPackages: true },
  },
  {
    ...{ name: "pnpm-metadata", base: "cache", folder: "pnpm", isPackages: true },
    ...{ secrets: ["../../.config/pnpm/rc", "../../.config/pnpm/auth.ini"] },
  },
  {
    ...{ name: "yarn", variable: "YARN_CACHE_FOLDER", base: "cache", folder: "yarn", isPackages: true },
    ...{ secrets: ["../../.yarnrc"] },
  },
  {
    ...{ name: "yarn-berry", variable: "YARN_GLOBAL_FOLDER", base: "home", folder: ".yarn/berry" },
    ...{ part: "cache", isPackages: true, secrets: ["../../.yarnrc.yml"] },
  },
  {
    ...{ name: "bun", variable: "BUN_INSTALL_CACHE_DIR", base: "home", folder: ".bun/install/cache" },
    ...{ isPackages: true, secrets: ["../../../.bunfig.toml"] },
  },
  { name: "deno", variable: "DENO_DIR", base: "cache", folder: "deno", isPackages: true },
  { name: "node-gyp", variable: "npm_config_devdir", base: "cache", folder: "node-gyp", isPackages: true },
  {
    ...{ name: "pip", variable: "PIP_CACHE_DIR", base: "cache", folder: "pip" },
    ...{ secrets: ["../../.config/pip/pip.conf", "../../.pip/pip.conf"] },
  },
  {
    ...{ name: "uv", variable: "UV_CACHE_DIR", base: "cache", folder: "uv", isPackages: true },
    ...{ secrets: ["../../.local/share/uv/credentials/credentials.toml"] },
  },
  {
    ...{ name: "poetry", variable: "POETRY_CACHE_DIR", base: "cache", folder: "pypoetry" },
    ...{ isPackages: true, secrets: ["../../.config/pypoetry/auth.toml"] },
  },
  { name: "pdm", variable: "PDM_CACHE_DIR", base: "cache", folder: "pdm", isPackages: true },
  {
    ...{ name: "conda", variable: "CONDA_PKGS_DIRS", base: "home", folder: ".conda/pkgs", isPackages: true },
    ...{ secrets: ["../../.condarc"] },
  },
  {
    ...{ name: "cargo-registry", variable: "CARGO_HOME", base: "home", folder: ".cargo", part: "registry" },
    ...{ isPackages: true, secrets: ["credentials.toml", "credentials"] },
  },
  {
    ...{ name: "cargo-git", variable: "CARGO_HOME", base: "home", folder: ".cargo", part: "git" },
    ...{ isPackages: true, secrets: ["credentials.toml", "credentials"] },
  },
  { name: "sccache", variable: "SCCACHE_DIR", base: "cache", folder: "sccache" },
  { name: "ccache", variable: "CCACHE_DIR", base: "cache", folder: "ccache" },
  {
    ...{ name: "gradle", variable: "GRADLE_USER_HOME", base: "home", folder: ".gradle", part: "caches" },
    ...{ isPackages: true, secrets: ["gradle.properties", "init.gradle"] },
  },
  {
    ...{ name: "gradle-wrapper", variable: "GRADLE_USER_HOME", base: "home", folder: ".gradle" },
    ...{ part: "wrapper", isPackages: true, secrets: ["gradle.properties"] },
  },
  {
    ...{ name: "maven", base: "home", folder: ".m2", part: "repository", isPackages: true },
    ...{ secrets: ["settings.xml", "settings-security.xml"] },
  },
  {
    ...{ name: "maven-wrapper", base: "home", folder: ".m2", part: "wrapper", isPackages: true },
    ...{ secrets: ["settings.xml"] },
  },
  {
    ...{ name: "ivy", base: "home", folder: ".ivy2", part: "cache", isPackages: true },
    ...{ secrets: [".credentials"] },
  },
  {
    ...{ name: "coursier", variable: "COURSIER_CACHE", base: "cache", folder: "coursier", isPackages: true },
    ...{ secrets: ["../../.config/coursier/credentials.properties"] },
  },
  { name: "bazel", base: "cache", folder: "bazel", isPackages: true, secrets: ["../../.netrc"] },
  { name: "bazelisk", variable: "BAZELISK_HOME", base: "cache", folder: "bazelisk", isPackages: true },
  { name: "vcpkg", variable: "VCPKG_DEFAULT_BINARY_CACHE", base: "cache", folder: "vcpkg/archives" },
  {
    ...{ name: "conan", variable: "CONAN_HOME", base: "home", folder: ".conan2", part: "p" },
    ...{ isPackages: true, secrets: ["credentials.json"] },
  },
  { name: "zig", variable: "ZIG_GLOBAL_CACHE_DIR", base: "cache", folder: "zig", isPackages: true },
  {
    ...{ name: "nuget", variable: "NUGET_PACKAGES", base: "home", folder: ".nuget/packages" },
    ...{ isPackages: true, secrets: ["../NuGet/NuGet.Config"] },
  },
  {
    ...{ name: "composer", variable: "COMPOSER_CACHE_DIR", base: "cache", folder: "composer" },
    ...{ isPackages: true, secrets: ["../../.config/composer/auth.json", "../../.composer/auth.json"] },
  },
  {
    ...{ name: "bundler", variable: "BUNDLE_USER_CACHE", base: "home", folder: ".bundle/cache" },
    ...{ isPackages: true, secrets: ["../config", "../../.gem/credentials"] },
  },
  {
    ...{ name: "hex", variable: "HEX_HOME", base: "home", folder: ".hex", part: "packages" },
    ...{ isPackages: true, secrets: ["hex.config"] },
  },
  { name: "rebar3", variable: "REBAR_CACHE_DIR", base: "cache", folder: "rebar3", isPackages: true },
  {
    ...{ name: "cabal", variable: "CABAL_DIR", base: "home", folder: ".cabal", part: "packages" },
    ...{ isPackages: true, secrets: ["config"] },
  },
  {
    ...{ name: "pub", variable: "PUB_CACHE", base: "home", folder: ".pub-cache", part: "hosted" },
    ...{ isPackages: true, secrets: ["credentials.json"] },
  },
  { name: "swiftpm", base: "cache", folder: "org.swift.swiftpm", isPackages: true },
  {
    ...{ name: "terraform", variable: "TF_PLUGIN_CACHE_DIR", base: "home" },
    ...{ folder: ".terraform.d/plugin-cache", isPackages: true, secrets: ["../credentials.tfrc.json"] },
  },
  {
    ...{ name: "playwright", variable: "PLAYWRIGHT_BROWSERS_PATH", base: "cache", folder: "ms-playwright" },
    ...{ isPackages: true },
  },
  {
    ...{ name: "puppeteer", variable: "PUPPETEER_CACHE_DIR", base: "cache", folder: "puppeteer" },
    ...{ isPackages: true },
  },
  { name: "cypress", variable: "CYPRESS_CACHE_FOLDER", base: "cache", folder: "Cypress", isPackages: true },
];
