import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createRegistry } from "@toolkeep/core";
import { openConversation } from "../../packages/cli/src/hooks/decide/conversation/open-conversation.ts";
import { dryRunTools } from "../../packages/cli/src/hooks/decide/dry-run/dry-run-tools.ts";
import { explanationOf } from "../../packages/cli/src/hooks/decide/verdict/refused-calls.ts";
import { readProject } from "../../packages/cli/src/project/read-project.ts";

export type Action = "allow" | "ask" | "deny" | "unreadable";

interface Decided {
  readonly action: Action;
  /** What decided, for people. */
  readonly why: string;
}

/** What the recommended policy says to a line of a client in a project that its user trusts. Nothing is run. */
export interface Decider extends AsyncDisposable {
  decide(line: string): Promise<Decided>;
}

const FILES: Readonly<Record<string, string>> = {
  "package.json": JSON.stringify({ scripts: { test: "vitest run", build: "webpack" } }),
  "src/a.js": "1\n",
  "sub/b.txt": "1\n",
  "sub/package.json": "{}\n",
  "packages/api/dist/x.js": "1\n",
  "logs/app.log": "1\n",
  Makefile: "test:\n\ttrue\n",
};

export async function openDecider(): Promise<Decider> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "toolkeep-wrappers-")));
  const root = join(base, "shop");
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  execFileSync("git", ["init", "-q", root]);
  const home = process.env["TOOLKEEP_HOME"];
  process.env["TOOLKEEP_HOME"] = join(base, "toolkeep");
  const project = { ...(await readProject({ cwd: root })), isTrusted: true };
  const registry = createRegistry();
  for (const tool of dryRunTools()) registry.register(tool);
  const session = await openConversation(undefined, {
    ...{ sessionId: "wrappers", registry, project, by: "client" },
    asked: () => undefined,
  });
  return {
    async decide(line) {
      const found = await explanationOf(session, { tool: "bash", arguments: { command: line } });
      if (found === undefined) return { action: "unreadable", why: "" };
      const { action, matchedBy, reason } = found.decision;
      return { action, why: `${matchedBy}: ${reason ?? ""}` };
    },
    async [Symbol.asyncDispose]() {
      await session.close();
      if (home === undefined) delete process.env["TOOLKEEP_HOME"];
      else process.env["TOOLKEEP_HOME"] = home;
      rmSync(base, { recursive: true, force: true });
    },
  };
}
