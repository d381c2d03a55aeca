import type { Action } from "@toolkeep/core";
import type { EntryPattern } from "./entry-command.ts";

/** What a pattern of ours reads otherwise than a `.gitignore` does. */
const SPECIAL = /[[\]{}\\!]/;

/**
 * `Read(…)` and `Edit(…)`: patterns as in a `.gitignore`; `//` is the root, `/` the project. Where a
 * pattern may mean more than one thing an allow takes the narrow meaning, an ask or a deny the wide one.
 */
export function pathPattern(specifier: string, action: Action, home: string | undefined): EntryPattern {
  const text = specifier.trim();
  if (text !== "" && !text.startsWith("!")) {
    return action === "allow" ? allowed(text, home) : forbidden(text, home);
  }
  const why = "it does not say which paths are meant";
  return action === "allow" ? { dropped: why } : { note: `${why}, so it covers them all`, isWidened: true };
}

function allowed(text: string, home: string | undefined): EntryPattern {
  if (SPECIAL.test(text)) return { dropped: "it holds characters that mean something else here" };
  if (/(?:^|\/)\.\.(?:\/|$)/.test(text)) return { dropped: "it climbs with `..`" };
  const base = baseOf(text, home);
  if (base === undefined) return { dropped: "it is not known what `~` stands for" };
  const pattern = base.at + base.rest.replace(/\/$/, "/**");
  if (!base.isAnyDepth) return { pattern };
  return { pattern, note: "it means the top of the workspace alone, not every folder beneath" };
}

function forbidden(text: string, home: string | undefined): EntryPattern {
  const readable = text.replaceAll(/\[[^\]]*\]/g, "?").replaceAll(/[[\]{}\\]/g, "?");
  const climbing = /^(?:.*\/)?\.\.\//.exec(readable);
  if (climbing !== null) {
    return {
      pattern: withBeneath(`**/${readable.slice(climbing[0].length)}`),
      note: "it climbs with `..`, so it covers such a path anywhere",
      isWidened: true,
    };
  }
  const base = baseOf(readable, home);
  if (base === undefined) {
    return {
      pattern: withBeneath(`**/${readable.replace(/^~[^/]*\/?/, "")}`),
      note: "it is not known what `~` stands for, so it covers such a path anywhere",
      isWidened: true,
    };
  }
  const isAnywhere = base.isAnyDepth || (base.at === "{workspace}/" && base.rest.startsWith("**/"));
  const rest = base.rest.replace(/^(?:\*\*\/)+/, "");
  if (isAnywhere)
    return { pattern: withBeneath(rest === "*" || rest === "**" ? "**" : `**/${rest}`), note: ANYWHERE };
  return {
    pattern: withBeneath(base.at + base.rest),
    ...(SPECIAL.test(text) ? { note: "its brackets stand for any character" } : {}),
  };
}

const ANYWHERE = "it covers such a path anywhere, in the workspace or not";

interface Base {
  readonly at: string;
  readonly rest: string;
  /** A name without a slash is meant at any depth. */
  readonly isAnyDepth: boolean;
}

function baseOf(text: string, home: string | undefined): Base | undefined {
  if (text.startsWith("//")) return { at: "/", rest: text.replace(/^\/+/, ""), isAnyDepth: false };
  if (text.startsWith("~")) {
    const isHome = text === "~" || text.startsWith("~/");
    if (!isHome || home === undefined || !/^\/[^*?{}]*$/.test(home)) return undefined;
    return { at: home.replace(/(?<!\/)\/+$/, ""), rest: text.slice(1), isAnyDepth: false };
  }
  if (text.startsWith("/")) return { at: "{workspace}", rest: text, isAnyDepth: false };
  if (text.startsWith("./"))
    return { at: "{workspace}/", rest: text.replace(/^(?:\.\/)+/, ""), isAnyDepth: false };
  return { at: "{workspace}/", rest: text, isAnyDepth: !text.replace(/\/$/, "").includes("/") };
}

/** What is named, and all that lies beneath if it is a folder. */
function withBeneath(pattern: string): string {
  const plain = pattern.replace(/(?<!\/)\/+$/, "");
  return plain.endsWith("**") ? plain : `${plain}{,/**}`;
}
