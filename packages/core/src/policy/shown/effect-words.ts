import type { Effect } from "../../contract/call/effect.ts";
import { LONGEST } from "./coverage-lines.ts";
import { visible } from "./visible.ts";

const WORDS: Readonly<Record<string, (target: string) => string>> = {
  "fs.read": (target) => `reads ${target}`,
  "fs.write": (target) => `writes ${target}`,
  "fs.delete": (target) => `deletes ${target}`,
  "shell.run": (target) => `runs ${target}`,
  "shell.dynamic": () => "runs commands that are known only when it runs",
  "code.run": (target) => `runs code (${target})`,
  "net.fetch": (target) => `contacts ${target}`,
  "net.search": () => "searches the web",
  "git.read": (target) => `reads the Git repository (${target})`,
  "git.commit": () => "changes the history of the Git repository",
  "git.push": (target) => `pushes to ${target}`,
  "package.install": (target) => `installs packages, which may run their scripts (${target})`,
  "package.run": (target) => `runs code of packages (${target})`,
  "package.publish": (target) => `publishes ${target}`,
  "env.read": (target) => `reads the environment variable ${target}`,
  "mcp.call": (target) => `calls the tool ${target} of a server`,
  "sandbox.leave": () => "runs outside of the sandbox",
  unknown: () => "does something that is not known beforehand",
};

/** What an effect is, in words for a terminal. */
export function effectWords({ capability, target, forced, note }: Effect): string {
  const words =
    WORDS[capability]?.(visible(target, LONGEST)) ?? `${visible(capability)} ${visible(target, LONGEST)}`;
  const more = [...(forced ? ["forced"] : []), ...(note === undefined ? [] : [visible(note)])];
  return more.length === 0 ? words : `${words} (${more.join(", ")})`;
}
