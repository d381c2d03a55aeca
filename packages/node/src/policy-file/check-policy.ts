import type { Rule } from "@toolkeep/core";
import { closestName } from "@toolkeep/core/internal";
import type { Place, PolicyDiagnostic } from "./diagnostic.ts";
import type { OwnRule, PolicyFile } from "./policy-file.ts";
import { type ReadPolicyOptions, readPolicy } from "./read-policy-file.ts";
import { coversRule, isSameRule } from "./rule-cover.ts";
import { readYaml } from "./yaml-text.ts";

export interface PolicyCheck {
  readonly file: PolicyFile;
  /** The file decides nothing until they are gone. */
  readonly diagnostics: readonly PolicyDiagnostic[];
  /** What is probably not meant as it is written. */
  readonly warnings: readonly PolicyDiagnostic[];
}

/** Reads a policy file and looks for what is probably not meant. */
export function checkPolicy(text: string, options: ReadPolicyOptions): PolicyCheck {
  const file = readPolicy(text, options);
  const { diagnostics } = file;
  const warnings = [...rulesWarnings(file), ...settingsWarnings(file, text)].toSorted(
    (one, other) => one.line - other.line || one.column - other.column,
  );
  return Object.freeze({ file, diagnostics, warnings });
}

function rulesWarnings(file: PolicyFile): readonly PolicyDiagnostic[] {
  const { ownRules, definition } = file;
  const denies = (definition?.rules ?? ownRules.map(({ rule }) => rule)).filter(
    ({ action }) => action === "deny",
  );
  return ownRules.flatMap((own, index) => {
    const place = { file: file.file, line: own.line, column: own.column };
    const messages = [
      duplicate(own, ownRules.slice(0, index)),
      shadowed(own.rule, denies),
      wide(own.rule),
      mistyped(own.rule),
    ];
    return messages.flatMap((message) => (message === undefined ? [] : [{ ...place, ...message }]));
  });
}

interface Warning {
  readonly message: string;
  readonly instead?: string;
}

function duplicate({ rule }: OwnRule, before: readonly OwnRule[]): Warning | undefined {
  const same = before.find((other) => isSameRule(other.rule, rule));
  return same === undefined ? undefined : { message: `The rule says what line ${same.line} says.` };
}

/** A deny gives way to nothing of its own scope, so what lies wholly within it is never heard. */
function shadowed(rule: Rule, denies: readonly Rule[]): Warning | undefined {
  if (rule.action === "deny") return undefined;
  const deny = denies.find((one) => coversRule(one, rule));
  return deny === undefined
    ? undefined
    : { message: `The rule is never heard: a deny covers it (${deny.at}).`, instead: "Narrow the deny." };
}

const ANYTHING: ReadonlySet<string | undefined> = new Set([undefined, "*", "**", "/**"]);

function wide({ action, permission, pattern, if: conditions = [] }: Rule): Warning | undefined {
  if (action !== "allow" || conditions.length > 0 || !ANYTHING.has(pattern)) return undefined;
  if (permission === "*") return { message: "The rule allows everything." };
  const isWide = /^(?:fs\.(?:write|delete|\*)|shell\.(?:run|dynamic|\*)|bash|net\.(?:fetch|\*))$/.test(
    permission,
  );
  return isWide
    ? { message: `The rule allows every ${permission}.`, instead: "Give it a pattern." }
    : undefined;
}

/** The capabilities of what ships. Others may be named by tools of the embedder's own. */
const CAPABILITIES = [
  "fs.read",
  "fs.write",
  "fs.delete",
  "net.fetch",
  "net.search",
  "shell.run",
  "shell.dynamic",
  "env.read",
  "git.push",
  "git.commit",
  "package.publish",
];

function mistyped({ permission }: Rule): Warning | undefined {
  const isOurs = /^(?:fs|net|shell|env|git|package)\.[\w]+$/.test(permission);
  if (!isOurs || CAPABILITIES.includes(permission)) return undefined;
  const near = closestName(permission, CAPABILITIES);
  return {
    message: `Nothing that ships does ${permission}.`,
    ...(near === undefined ? {} : { instead: `Did you mean \`${near}\`?` }),
  };
}

function settingsWarnings(
  { file, definition, allowList, watchdogSettings }: PolicyFile,
  text: string,
): readonly PolicyDiagnostic[] {
  const directories = placesOfKeys(text, file);
  const at = (key: string): Place & { file: string } => ({
    file,
    ...(directories.get(key) ?? { line: 1, column: 1 }),
  });
  const mode = definition?.mode;
  const off = Object.entries(watchdogSettings).filter(([, value]) => value === "off");
  return [
    ...(mode === "yolo" ? [{ ...at("mode"), message: "In the mode yolo nobody is asked." }] : []),
    ...(mode === "observe" ? [{ ...at("mode"), message: "In the mode observe nothing is stopped." }] : []),
    ...(definition !== undefined && mode !== "allowlist" && allowList.length > 0
      ? [{ ...at("allow-list"), message: "The allow-list counts in the mode allowlist alone." }]
      : []),
    ...off.map(([name]) => ({ ...at("watchdogs"), message: `The watchdog ${name} is off.` })),
  ];
}

function placesOfKeys(text: string, file: string): ReadonlyMap<string, Place> {
  const { root } = readYaml(text, file);
  return new Map(root?.kind === "map" ? root.entries.map(({ key, keyLocation }) => [key, keyLocation]) : []);
}
