import type { EffectMap, MappedEffect, MappedTool } from "../effect-map.ts";
import { DELETE, OWN, OWN_WRITE, READ, SEARCH, WRITE } from "./github-tools.ts";

/** GitHub names are not case-sensitive, so rules are written in lower case. */
const REPOSITORY = "{slug:owner}/{slug:repo}";

function tools(mode: MappedTool["mode"], { capability, target }: MappedEffect, lines: string) {
  const entries = lines.trim().split("\n");
  return Object.fromEntries(
    entries.map((line) => {
      const [name = "", ...args] = line.split(" ");
      const marked = (mark: string) =>
        args.filter((arg) => arg.endsWith(mark)).map((arg) => arg.slice(0, -1));
      const anywhere = marked("#").map((arg) => ({ capability, target: `{any:${arg}?}` }));
      const mapped: MappedTool = {
        mode,
        ...(mode === "read" ? { idempotent: true } : {}),
        effects: [{ capability, target }, ...anywhere],
        checks: Object.fromEntries(marked("/").map((arg) => [arg, "inside" as const])),
        arguments: args.filter((arg) => !/[/#]$/.test(arg)),
      };
      return [name, mapped];
    }),
  );
}

/** `github-mcp-server`, by its documentation. A tool whose target cannot be derived from its arguments has `*`. */
export const GITHUB_MAP: EffectMap = {
  name: "github",
  packages: [
    "program:github-mcp-server",
    "image:ghcr.io/github/github-mcp-server",
    "host:api.githubcopilot.com",
  ],
  tools: {
    ...tools("read", { capability: "github.read", target: REPOSITORY }, READ),
    ...tools("external", { capability: "github.write", target: REPOSITORY }, WRITE),
    ...tools("destructive", { capability: "github.delete", target: REPOSITORY }, DELETE),
    ...tools("read", { capability: "github.search", target: "*" }, SEARCH),
    ...tools("read", { capability: "github.read", target: "*" }, OWN),
    ...tools("external", { capability: "github.write", target: "*" }, OWN_WRITE),
  },
  // Not GITHUB_HOST: another host has other repositories with these names.
  start: {
    args: ["stdio", "--read-only", "--dynamic-toolsets", "--toolsets="],
    variables: [
      "GITHUB_PERSONAL_ACCESS_TOKEN",
      "GITHUB_TOOLSETS",
      "GITHUB_DYNAMIC_TOOLSETS",
      "GITHUB_READ_ONLY",
    ],
  },
};
