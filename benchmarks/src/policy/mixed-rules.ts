import type { Rule } from "@toolkeep/core";

const ACTIONS = ["allow", "ask", "deny"] as const;

/** A typical policy of this size: four fifths of the rules are about paths, the rest about commands and hosts. */
export function mixedRules(count: number): readonly Rule[] {
  return Array.from({ length: count }, (_, at) => {
    const action = ACTIONS[Math.floor(at / PATTERNS.length) % ACTIONS.length] ?? "ask";
    const pattern = PATTERNS[at % PATTERNS.length]?.(at) ?? "**";
    return { permission: PERMISSIONS[at % PATTERNS.length] ?? "fs.read", pattern, action };
  });
}

const PACKAGES = 97;

const PATTERNS: readonly ((at: number) => string)[] = [
  (at) => `/ws/app${at}/src/**`,
  (at) => `/ws/package${at % PACKAGES}/part${at}/**`,
  (at) => `**/*.kind${at}`,
  (at) => `**/name${at}.json`,
  (at) => `/ws/package${at % PACKAGES}/src/file${at}.ts`,
  (at) => `/ws/module${at}/{src,test}/**/*.{ts,tsx}`,
  (at) => `/ws/package${at % PACKAGES}/**/*.part${at}.ts`,
  (at) => `**/build${at}/**`,
  (at) => `tool${at} run *`,
  (at) => `*.host${at}.example`,
];

const PERMISSIONS = [...Array.from({ length: 8 }, () => "fs.read"), "shell.run", "net.fetch"];

/** New paths; rules match about half of them, if there are `count`. */
export function freshPaths(first: number, length: number, count: number): readonly string[] {
  return Array.from({ length }, (_, offset) => {
    const serial = first + offset;
    return PATHS[serial % PATHS.length]?.((serial * 7) % count, serial) ?? "/";
  });
}

/** Joined, so that each is a flat string, as a canonical path is. */
const PATHS: readonly ((at: number, serial: number) => string)[] = [
  (_, serial) => ["", "ws", `package${serial % PACKAGES}`, "src", "deep", `other${serial}.ts`].join("/"),
  (at, serial) => ["", "ws", `app${at}`, "src", "deep", `file${serial}.ts`].join("/"),
  (at, serial) => ["", "ws", `package${at % PACKAGES}`, "docs", `page${serial}.kind${at}`].join("/"),
  (at, serial) => ["", "home", "me", `notes${serial}`, `name${at}.json`].join("/"),
  (at, serial) => ["", "ws", `module${at}`, "test", "deep", `case${serial}.tsx`].join("/"),
  (_, serial) => ["", "home", "me", "music", `song${serial}.ogg`].join("/"),
  (at, serial) => ["", "ws", "out", `build${at}`, `chunk${serial}.js`].join("/"),
  (_, serial) => ["", "ws", `package${serial % PACKAGES}`, "test", `case${serial}.ts`].join("/"),
];
