import type { WatchdogSettings } from "../../contract/policy/decision.ts";
import type { Rule } from "../../contract/policy/rule.ts";
import { RECOMMENDED_ROWS, type RuleRow } from "./recommended-rows.ts";

/** `at` of these rules. */
const AT = "toolkeep:recommended";

function rulesOf({ permissions, patterns, ...fields }: RuleRow): readonly Rule[] {
  return permissions.split(" ").flatMap((permission) => {
    const rule: Rule = { permission, scope: "project", ...fields, at: AT };
    return (patterns?.map((pattern) => ({ ...rule, pattern })) ?? [rule]).map((one) => Object.freeze(one));
  });
}

/**
 * Commands with which the user answers approvals, and those that a client starts to have calls decided and run: a model
 * that runs them would approve its own calls, or report what it likes about them.
 */
const DECIDING = [
  "{approve,reject,answer,trust,servers,init,install,uninstall,allow,ask,deny,pause} *",
  "{keep,undo,contain} *",
  "{approvals,gateway,decider,exec,hook,call,policy import,policy enable,policy disable,policy * import,policy * enable,policy * disable} *",
];
const RUNNERS = "{npx,bunx,pnpx,npm exec,npm x,pnpm exec,pnpm dlx,yarn dlx,bun x}";
const PACKAGE = "{toolkeep,toolkeep@*}";
const PROGRAM = "{*/cli/dist/main.js,*/toolkeep/dist/main.js}";
/** Options before the command: a `*` inside a pattern is one word. */
const GAPS = [" ", " * ", " * * "];

const ANSWERING = GAPS.flatMap((gap) =>
  DECIDING.flatMap((deciding) => [
    `toolkeep${gap}${deciding}`,
    `${RUNNERS}${gap}${PACKAGE} ${deciding}`,
    `${RUNNERS}${gap}${PACKAGE} * ${deciding}`,
    `{node,bun,deno,tsx}${gap}${PROGRAM} ${deciding}`,
    `{node,bun,deno,tsx}${gap}${PROGRAM} * ${deciding}`,
  ]),
);

const RECOMMENDED_RULES: readonly Rule[] = Object.freeze([
  ...RECOMMENDED_ROWS.flatMap(rulesOf),
  ...rulesOf({
    action: "deny",
    permissions: "shell.run",
    patterns: ANSWERING,
    because: "Only a person or a client decides with it",
  }),
]);

/** Settings of the built-in watchdogs for these rules. */
const RECOMMENDED_WATCHDOGS: WatchdogSettings = Object.freeze({
  secrets: "deny",
  "rule-of-two": "ask",
  exfiltration: "ask",
  "protected-names": "ask",
  loop: 5,
});

/**
 * A policy to start from: reading, editing and committing in the workspace are allowed, running the project's own
 * checks is allowed in a sandbox or in a project that the user trusts, and what decides what runs, sends data or cannot
 * be undone asks. Everything else asks, too.
 */
export const RECOMMENDED_POLICY: {
  readonly rules: readonly Rule[];
  readonly builtIn: WatchdogSettings;
} = Object.freeze({ rules: RECOMMENDED_RULES, builtIn: RECOMMENDED_WATCHDOGS });
