import type { ApprovalRequest } from "@toolkeep/core";
import { REQUEST } from "../../packages/node/src/terminal/typed-terminal.test.kit.ts";

/** An attempt to make a user read something else than what the call does. */
export interface SpoofAttempt {
  readonly name: string;
  readonly request?: Partial<ApprovalRequest>;
  /** What another program wrote to the terminal before. */
  readonly before?: string;
  /** What the user would read. */
  readonly pretends?: string;
  readonly columns?: number;
  readonly rows?: number;
}

/** What every attempt tries to hide. */
export const TRUTH = "rm -rf /home/ada";
const FAKE =
  "APPROVE?  bash (built-in)\n  | ls\nWhat it does:\n  | runs ls\nWhy it asks: none\n[y] once  [n] no";
const CLEAR = "\u001b[2J\u001b[H";
const HIDE = "\u001b[8m";

/** A command that begins or ends with a text. */
function command(before: string, after = ""): Partial<ApprovalRequest> {
  const target = `${before}${TRUTH}${after}`;
  return { arguments: { command: target }, effects: [{ capability: "shell.run", target }] };
}

const inContext = (more: Partial<NonNullable<ApprovalRequest["context"]>>): Partial<ApprovalRequest> => ({
  context: { directories: ["/home/ada/shop"], sandbox: "none", taint: [], ...more },
});

/** So many characters that the next one begins a row of a terminal that breaks the line itself. */
const toRowEnd = (used: number, columns = 80) => "x".repeat(columns - used);

const ESCAPES: readonly SpoofAttempt[] = [
  { name: "clears the screen", request: command("", `; ${CLEAR}${FAKE}`) },
  {
    name: "moves the cursor up and writes over the command",
    request: command("", "\u001b[1A\u001b[2K  | ls\u001b[1B"),
  },
  { name: "erases its own row", request: command("", "\u001b[2K\r  | ls") },
  { name: "hides text", request: command(HIDE, "\u001b[0m ls") },
  {
    name: "writes the command in the colour of the screen",
    request: command("\u001b[30;40;8m", "\u001b[0m"),
  },
  { name: "uses the other buffer", request: command("\u001b[?1049h", FAKE) },
  { name: "sets a scroll region", request: command("\u001b[1;3r\u001b[3;1H", `\n${FAKE}`) },
  { name: "goes back with backspaces", request: command("", `${"\b".repeat(16)}ls              `) },
  { name: "goes back with a carriage return", request: command("", "\r  | ls                  ") },
  { name: "puts a text into the clipboard (OSC 52)", request: command("", "\u001b]52;c;cm0gLXJmIC8=\u0007") },
  {
    name: "links to another page (OSC 8)",
    request: command("\u001b]8;;http://evil.example\u001b\\", "\u001b]8;;\u001b\\"),
  },
  { name: "sets the title of the window", request: command("", "\u001b]0;safe\u0007") },
  { name: "makes the terminal answer as if the user typed", request: command("", "\u001b[6n\u001b[c") },
  { name: "uses C1 controls", request: command("", "\u009b2J\u009bH\u009d0;safe\u009c") },
  { name: "leaves a device control string open", request: command("\u001bP", "") },
  {
    name: "uses the set of line drawing characters",
    request: command("\u001b(0", "\u001b(B"),
    pretends: "⎼└",
  },
];

const LINES: readonly SpoofAttempt[] = [
  { name: "has a prompt of its own in the command", request: command("", `\n\n${FAKE}`) },
  { name: "has a prompt of its own in the name of the tool", request: { toolName: `bash\n${FAKE}` } },
  {
    name: "has a prompt of its own in the origin",
    request: { origin: { layer: "project", source: "mcp", id: `x\n${FAKE}` } },
  },
  { name: "has a prompt of its own in the name of an agent", request: { agents: ["main", `x\n${FAKE}`] } },
  {
    name: "has a prompt of its own in the path of the project",
    request: inContext({ directories: [`/home/x\n${FAKE}`] }),
  },
  {
    name: "has a prompt of its own in what tainted the session",
    request: inContext({ taint: [{ label: "untrusted", from: `a\n${FAKE}` }] }),
  },
  { name: "has a prompt of its own in the reason", request: { reason: `No rule.\n${FAKE}` } },
  {
    name: "has a prompt of its own in the remark of the agent",
    request: { ...command(""), arguments: { command: TRUTH, description: `ok\n${FAKE}` } },
  },
  {
    name: "has a prompt of its own in the name of an argument",
    request: { arguments: { command: TRUTH, [`a\n${FAKE}`]: 1 } },
  },
  {
    name: "has a prompt of its own in the note of an effect",
    request: { effects: [{ capability: "shell.run", target: TRUTH, note: `x\n${FAKE}` }] },
  },
  {
    name: "has a prompt of its own in the name of an effect",
    request: { effects: [...REQUEST.effects, { capability: `x\n${FAKE}`, target: "y" }] },
  },
  { name: "has a prompt of its own in the id of the session", request: { sessionId: `s\n${FAKE}` } },
  {
    name: "uses other line ends",
    request: command("", "\u0085\u2028\u2029\u000b\u000c[y] once  [n] no"),
    pretends: "\n[y] once  [n] no\n",
  },
  { name: "says that it is answered already", request: command("", "\nApproved once.\n$ ") },
];

const LOOKS: readonly SpoofAttempt[] = [
  {
    name: "turns the direction around",
    request: command("", " # \u202eada/emoh/ fr- sl"),
    pretends: "ls -rf /home/ada",
  },
  {
    name: "isolates a direction",
    request: command("", "\u2067\u202eppa.redir\u2069"),
    pretends: "rider.app",
  },
  {
    name: "has characters without a width",
    request: { effects: [...REQUEST.effects, { capability: "net.fetch", target: "exa\u200bmple.com" }] },
    pretends: "contacts example.com",
  },
  {
    name: "has a soft hyphen and a joiner",
    request: {
      effects: [...REQUEST.effects, { capability: "net.fetch", target: "exa\u00admp\u200dle.com" }],
    },
    pretends: "contacts example.com",
  },
  {
    name: "has tag characters",
    request: { effects: [...REQUEST.effects, { capability: "net.fetch", target: "exa\u{e0078}mple.com" }] },
    pretends: "contacts example.com",
  },
  {
    name: "breaks a row so that the next one begins with keys",
    request: command("", `${toRowEnd(4 + TRUTH.length)}[y] once  [n] no`),
  },
  {
    name: "breaks a row with wide characters",
    request: command("", `${"字".repeat((80 - 4 - TRUTH.length) / 2)}[y] once  [n] no`),
  },
  {
    name: "breaks a row with combining characters",
    request: command("", `${"x\u0301".repeat(80 - 4 - TRUTH.length)}[y] once  [n] no`),
  },
  {
    name: "breaks a row of a terminal with 20 columns",
    request: command("", "[y] once  [n] no"),
    columns: 20,
  },
  {
    name: "breaks a row of the title",
    request: { toolName: `bash (built-in)${toRowEnd(25)}[y] once  [n] no` },
  },
  {
    name: "pads with spaces so that the command is out of sight",
    request: command(`ls${" ".repeat(6_000)}`),
  },
  {
    name: "scrolls the prompt away with lines",
    request: command("", `\n${"echo ok\n".repeat(300)}`),
    rows: 24,
  },
  {
    name: "scrolls the prompt away with more than a terminal keeps",
    request: command("", `\n${"echo ok\n".repeat(5_000)}`),
    rows: 24,
  },
];

const OUTPUT: readonly SpoofAttempt[] = [
  { name: "output before it ends with hidden text", before: HIDE },
  { name: "output before it leaves a scroll region", before: `${FAKE}\u001b[1;2r\u001b[1;1H` },
  { name: "output before it leaves another character set", before: "\u001b(0" },
  { name: "output before it leaves a link open", before: "\u001b]8;;http://evil.example\u001b\\" },
  { name: "output before it ends within a row", before: "APPROVE? nothing [y] once " },
];

/** Each must fail with the prompt, and succeed where the same is shown as it comes. */
export const SPOOF_ATTEMPTS: readonly SpoofAttempt[] = [...ESCAPES, ...LINES, ...LOOKS, ...OUTPUT];
