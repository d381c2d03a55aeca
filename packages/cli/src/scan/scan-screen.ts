import { homedir } from "node:os";
import { visible } from "@toolkeep/core/internal";
import { atHome } from "../terminal/at-home.ts";
import type { LineStyle, StyledLine } from "../terminal/styled-lines.ts";
import type { ScannedClient } from "./recorded-call.ts";
import type { CallGroup, ScanReport } from "./scan-report.ts";

interface Screen {
  /** In characters. */
  readonly width: number;
  readonly isOwnPolicy: boolean;
}

const NAMES: Readonly<Record<ScannedClient, string>> = {
  "claude-code": "Claude Code",
  codex: "Codex",
  "gemini-cli": "Gemini CLI",
  opencode: "opencode",
};

const MOST_SHOWN = 5;

/** What a scan found, for people. */
export function screenOf(report: ScanReport, screen: Screen): readonly StyledLine[] {
  if (report.calls === 0) return [...nothingFound(report), ...notRead(report)];
  const { decisions, trust } = report;
  const untilTrusted = trust.reduce((sum, { removes }) => sum + removes, 0);
  return [
    ...heading(report),
    blank,
    line(screen.isOwnPolicy ? "With this policy" : "With the recommended policy", "bold"),
    ...share(decisions.allow, "would run without a question", report, "green"),
    ...share(untilTrusted, "would run once you trust the project", report, "green"),
    ...share(decisions.ask - untilTrusted, "would ask you first", report, "yellow"),
    ...share(decisions.redirect, "would be answered with a safer command", report, "cyan"),
    ...share(decisions.deny, "would be stopped", report, "red"),
    ...section("Would be stopped", report.denied, screen, "red"),
    ...secretLines(report, screen),
    ...section("Would ask most often", report.asked, screen, "yellow"),
    ...fewerQuestions(report, screen),
    ...footnotes(report),
    ...NEXT_STEP,
  ];
}

const blank: StyledLine = { text: "" };

function line(text: string, style?: LineStyle): StyledLine {
  return style === undefined ? { text } : { text, style };
}

function nothingFound({ clients }: ScanReport): readonly StyledLine[] {
  const what = clients.length === 0 ? "No history of Claude Code, Codex, Gemini CLI or opencode" : "No call";
  return [
    line(`${what} was found on this machine. Nothing was changed.`),
    blank,
    line("Next, install Toolkeep and run in a project: toolkeep init", "bold"),
  ];
}

function heading({ calls, clients, first = 0, last = 0 }: ScanReport): readonly StyledLine[] {
  const conversations = clients.reduce((sum, one) => sum + one.conversations, 0);
  const width = Math.max(...clients.map(({ client }) => NAMES[client].length));
  return [
    line(
      `${count(calls, "tool call")} in ${count(conversations, "conversation")}, ${days(first, last)}`,
      "bold",
    ),
    line("Read from the histories on this machine. Nothing was changed, run or sent.", "dim"),
    blank,
    ...clients.map(({ client, calls: own, conversations: chats }) =>
      line(
        `  ${NAMES[client].padEnd(width)}  ${number(own).padStart(NUMBER)} ${own === 1 ? "call " : "calls"}  ${number(chats).padStart(6)} ${chats === 1 ? "conversation" : "conversations"}`,
      ),
    ),
  ];
}

const NUMBER = 8;
const INDENT = " ".repeat(NUMBER + 2);

function share(times: number, what: string, { calls }: ScanReport, style: LineStyle): readonly StyledLine[] {
  if (times === 0) return [];
  const percent = (100 * times) / calls;
  const shown = percent > 0 && percent < 1 ? "<1" : percent.toFixed(0);
  return [line(`${number(times).padStart(NUMBER)}  ${`${shown} %`.padStart(5)}  ${what}`, style)];
}

function section(
  title: string,
  groups: readonly CallGroup[],
  screen: Screen,
  style: LineStyle,
): readonly StyledLine[] {
  if (groups.length === 0) return [];
  const same = [...Map.groupBy(groups, ({ call }) => call).values()].toSorted(
    (one, other) => timesOf(other) - timesOf(one),
  );
  return [
    blank,
    line(title, "bold"),
    ...same.slice(0, MOST_SHOWN).flatMap((some) => groupLines(some, screen, style)),
    ...rest(same.length, "more, with --json"),
  ];
}

function rest(all: number, what: string): readonly StyledLine[] {
  return all > MOST_SHOWN ? [line(`${INDENT}and ${number(all - MOST_SHOWN)} ${what}`, "dim")] : [];
}

function timesOf(groups: readonly CallGroup[]): number {
  return groups.reduce((sum, { times }) => sum + times, 0);
}

/** Calls that look the same, of any client and project. */
function groupLines(
  groups: readonly CallGroup[],
  { width }: Screen,
  style: LineStyle,
): readonly StyledLine[] {
  const [first] = groups;
  if (first === undefined) return [];
  const left = width - INDENT.length;
  const mark = groups.some(({ gone }) => gone > 0) ? " *" : "";
  const names = new Set(groups.map(({ client }) => NAMES[client]));
  const folders = new Set(groups.map(({ project }) => atHome(project)));
  const where = `${[...names].join(", ")} in ${[...folders].join(", ")}`;
  return [
    line(
      `${`${number(timesOf(groups))}x`.padStart(NUMBER)}  ${shortened(homeless(first.call), left - 2)}${mark}`,
      style,
    ),
    line(`${INDENT}${shortened(homeless(firstSentence(first.reason)), left)}`),
    line(`${INDENT}${shortened(where, left)}`, "dim"),
  ];
}

function secretLines({ secrets }: ScanReport, { width }: Screen): readonly StyledLine[] {
  if (secrets.length === 0) return [];
  return [
    blank,
    line("Secrets that went into tools", "bold"),
    ...secrets
      .slice(0, MOST_SHOWN)
      .flatMap(({ times, kind, call, client }) => [
        line(`${`${number(times)}x`.padStart(NUMBER)}  ${visible(kind)} (${NAMES[client]})`, "red"),
        line(`${INDENT}${shortened(homeless(call), width - INDENT.length)}`),
      ]),
    ...rest(secrets.length, "more, with --json"),
  ];
}

function fewerQuestions({ trust, rules }: ScanReport, { width }: Screen): readonly StyledLine[] {
  if (trust.length === 0 && rules.length === 0) return [];
  const trusted = trust.slice(0, MOST_SHOWN);
  const removed = [...trusted, ...rules].reduce((sum, { removes }) => sum + removes, 0);
  return [
    blank,
    line(`What removes ${count(removed, "question")}, if you agree`, "bold"),
    ...trusted.map(({ project, removes }) =>
      line(
        `${number(removes).padStart(NUMBER)}  toolkeep trust --project ${shortened(quoted(project), width - NUMBER - 28)}`,
      ),
    ),
    ...rules.flatMap(({ rules: some, removes }) =>
      some.map(({ command }, index) =>
        // A command that is cut would be another one.
        line(`${(index === 0 ? number(removes) : "and").padStart(NUMBER)}  ${visible(command)}`),
      ),
    ),
  ];
}

function footnotes(report: ScanReport): readonly StyledLine[] {
  const { gone } = report;
  const lines = [
    ...(gone === 0
      ? []
      : [line(`* ${count(gone, "decision")} would depend on files that are not there any more.`, "dim")]),
    ...notRead(report),
  ];
  return lines.length === 0 ? [] : [blank, ...lines];
}

function notRead({ unknown, skipped }: ScanReport): readonly StyledLine[] {
  return [
    ...unknown.map(({ client, kind, times }) =>
      line(
        `Not understood: ${count(times, "record")} of the kind ${visible(JSON.stringify(kind))} (${NAMES[client]}).`,
        "dim",
      ),
    ),
    ...skipped.map(({ client, kind, times }) =>
      line(`Not read: ${kind} (${NAMES[client]}), ${number(times)}x.`, "dim"),
    ),
  ];
}

/** `init` finds the clients of a project by itself, and offers the rules. */
const NEXT_STEP = [
  blank,
  line("Next, install Toolkeep and run in a project: toolkeep init", "bold"),
  line("It shows every change before it makes it, and can begin by recording only (--observe).", "dim"),
];

function firstSentence(text: string): string {
  const [sentence = text] = /^.*?[.:](?=\s|$)/su.exec(text) ?? [];
  return sentence.replace(/:$/, ".");
}

/** One line of text that nothing in a history can break out of. */
function shortened(text: string, width: number): string {
  const one = visible(text.replaceAll(/\s+/g, " ").trim());
  const characters = [...one];
  return characters.length <= width ? one : `${characters.slice(0, Math.max(8, width - 1)).join("")}…`;
}

/** For reading, not for typing. */
function homeless(text: string): string {
  return text.replaceAll(`${homedir()}/`, "~/");
}

function quoted(path: string): string {
  return /^[\w./@+-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

function count(times: number, what: string): string {
  return `${number(times)} ${what}${times === 1 ? "" : "s"}`;
}

function number(value: number): string {
  return value.toLocaleString("en-US");
}

function days(first: number, last: number): string {
  return day(first) === day(last) ? day(first) : `${day(first)} to ${day(last)}`;
}

function day(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}
