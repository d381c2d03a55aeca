import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createProjectTrust, readConfig } from "@toolkeep/node";
import { vi } from "vitest";
import { explainedCall } from "../../packages/cli/src/policy/explained-call.ts";
import { typedCall } from "../../packages/cli/src/policy/typed-call.ts";
import { type ReadProjectOptions, readProject } from "../../packages/cli/src/project/read-project.ts";

/** What an administrator mandates in these tests: an ask that is final, a deny, and a deny that is final. */
const POLICY = `version: 1
extends: ["toolkeep:recommended"]
rules:
  - 'final ask git.push "*" because "CHG-001: a person looks at every push"'
  - 'final deny shell.run "kubectl delete *"'
  - 'deny fs.* "**/.env*"'
  - 'final ask mcp:payments:*'
`;

/** Rules with which a user or a project would like to get past it. */
export const LOOSE = `version: 1
rules:
  - 'allow git.push "origin main"'
  - 'allow shell.run "git push origin main"'
  - 'allow shell.run "kubectl delete pod x"'
  - 'allow shell.dynamic "**"'
  - 'allow fs.read "**/.env"'
  - 'allow mcp:payments:refund'
  - 'allow shell.run "make deploy"'
  - 'allow bash'
  - 'allow *'
`;

/** A machine with an administrator, a user and a repository. */
export function place() {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "toolkeep-mandated-")));
  const [home, repository] = [join(base, "home"), join(base, "repository")];
  const put = (path: string, value: unknown): string => {
    const file = join(base, path);
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, typeof value === "string" ? value : JSON.stringify(value), { mode: 0o600 });
    return file;
  };
  for (const folder of [home, join(repository, ".git"), join(repository, "src")])
    mkdirSync(folder, { recursive: true });
  put("repository/.env", "K=1");
  put("etc/policy.yaml", POLICY);
  put("etc/config.jsonc", { policy: "policy.yaml" });
  const unset = ["TOOLKEEP_HOME", "TOOLKEEP_CONFIG", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME"];
  for (const name of unset) vi.stubEnv(name, undefined);
  vi.stubEnv("HOME", home);
  const machine = { managed: join(base, "etc/config.jsonc") };
  const read = (options: Partial<ReadProjectOptions> = {}) =>
    readProject({ cwd: repository, ...options }, machine);
  return {
    ...{ base, home, repository, machine, put, read },
    /** Trusts the repository as it is now, for real. */
    async trust() {
      const trust = createProjectTrust({ decide: () => "trust" });
      await readConfig({ ...machine, cwd: repository, trust });
    },
    /** The decision about one call: a command line, or a tool with its main argument. */
    async decide(call: string, { tool, ...options }: Partial<ReadProjectOptions> & { tool?: string } = {}) {
      const setting = { project: await read(options), cwd: repository, isSandboxed: false };
      const parts = await explainedCall(typedCall([call], tool), setting);
      const actions = parts.map(({ explained }) => explained.explanation?.decision.action ?? "deny");
      return (["deny", "ask", "allow"] as const).find((action) => actions.includes(action)) ?? "deny";
    },
    remove() {
      vi.unstubAllEnvs();
      rmSync(base, { recursive: true, force: true });
    },
  };
}

export type Place = ReturnType<typeof place>;

/** The decisions about what is mandated, and about `make deploy`, which is not: it shows whether anything was loosened. */
export async function mandated(at: Place, options: Partial<ReadProjectOptions> = {}) {
  const decided = (call: string, tool?: string) =>
    // A configuration that cannot be read decides nothing: a hook blocks every call then.
    at.decide(call, { ...options, ...(tool === undefined ? {} : { tool }) }).catch(() => "blocked" as const);
  return {
    push: await decided("git push origin main"),
    kubectl: await decided("kubectl delete pod x"),
    secret: await decided(join(at.repository, ".env"), "read"),
    payment: await decided('{"amount":5}', "mcp:payments:refund"),
    open: await decided("make deploy"),
  };
}
