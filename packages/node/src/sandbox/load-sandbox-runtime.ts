import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { pathToFileURL } from "node:url";
import { ToolFailure } from "@toolkeep/core";

const PACKAGE = "@anthropic-ai/sandbox-runtime";

/** The one version that was tested: every release of it so far may change what it enforces. */
const SANDBOX_RUNTIME_VERSION = "0.0.83";

/** What is used of the package, which is optional and so not imported for its types either. */
interface SandboxRuntimeManager {
  initialize(config: SandboxRuntimeConfig): Promise<void>;
  checkDependencies(): { readonly errors: readonly string[] };
  wrapWithSandboxArgv(
    command: string,
    shell: string,
    config: Partial<SandboxRuntimeConfig>,
    signal: undefined,
    cwd: undefined,
    options: { readonly commandId: string; readonly commandText: string },
  ): Promise<{ readonly argv: readonly string[] }>;
  registerCommandNetworkLists(commandId: string, lists: { readonly allowedDomains: readonly string[] }): void;
  unregisterCommandNetworkLists(commandId: string): void;
  /** Where the proxy listens for commands on Linux. */
  getLinuxHttpSocketPath(): string | undefined;
  getLinuxSocksSocketPath(): string | undefined;
  cleanupAfterCommand(): void;
  reset(): Promise<void>;
}

export interface SandboxRuntimeConfig {
  readonly network: { readonly allowedDomains: readonly string[]; readonly deniedDomains: readonly string[] };
  readonly filesystem: {
    readonly denyRead: readonly string[];
    readonly allowRead: readonly string[];
    readonly allowWrite: readonly string[];
    readonly denyWrite: readonly string[];
  };
  readonly mandatoryDenySearchDepth?: number;
  readonly bwrapPath?: string;
  readonly socatPath?: string;
  readonly ripgrep?: { readonly command: string };
}

export interface LoadedSandboxRuntime {
  readonly manager: SandboxRuntimeManager;
  /** Where the package is: commands in its sandbox start a program of it. */
  readonly folder: string;
}

/** @throws ToolFailure `unavailable` where the package is missing, or is another version than the one that was tried. */
export async function loadSandboxRuntime(): Promise<LoadedSandboxRuntime> {
  const require = createRequire(import.meta.url);
  const version = versionOf(require);
  if (version !== SANDBOX_RUNTIME_VERSION) throw otherVersion(version);
  // By a computed name, so that programs which do not use it need not have it.
  const module: unknown = await import(pathToFileURL(require.resolve(PACKAGE)).href);
  const { SandboxManager: manager } = module as { readonly SandboxManager: SandboxRuntimeManager };
  return { manager, folder: dirname(require.resolve(`${PACKAGE}/package.json`)) };
}

function versionOf(require: NodeJS.Require): string | undefined {
  try {
    const manifest: unknown = JSON.parse(readFileSync(require.resolve(`${PACKAGE}/package.json`), "utf8"));
    return (manifest as { readonly version?: string }).version;
  } catch {
    return undefined;
  }
}

function otherVersion(version: string | undefined): ToolFailure {
  const found = version === undefined ? "is not installed" : `is version ${version}`;
  return new ToolFailure(
    "unavailable",
    `${PACKAGE} ${found}; the one that was tried is ${SANDBOX_RUNTIME_VERSION}.`,
    {
      hint: `Install ${PACKAGE}@${SANDBOX_RUNTIME_VERSION}, exactly.`,
    },
  );
}
