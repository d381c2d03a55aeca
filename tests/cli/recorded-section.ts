import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type {
  RecordedCall,
  RecordedCommand,
  RecordedConversation,
} from "../day/clients/recorded-conversation.ts";

const FOLDER = join(import.meta.dirname, "../day/clients/recorded");

const TITLES: Readonly<Record<RecordedCall["shows"], string>> = {
  allowed: "allowed: the client runs it",
  confined: "confined: it runs by `toolkeep exec`, in other namespaces than the client",
  asked: "asked, and approved by the user",
  denied: "denied",
};

/** What was recorded with real clients, one section for each. `title` is the name of a client for people. */
export function recordedSections(title: (client: string) => string): readonly string[] {
  const files = readdirSync(FOLDER).toSorted();
  return files.map((file) => {
    const recorded = JSON.parse(readFileSync(join(FOLDER, file), "utf8")) as RecordedConversation;
    return section(recorded, title(recorded.client));
  });
}

function section({ version, mode, date, before, calls, after }: RecordedConversation, title: string): string {
  return [
    `## Recorded: ${title} after \`toolkeep init\``,
    `${title} ${version} in the mode \`${mode}\`, on ${dayOf(date)}, in a project that Toolkeep was not in before. A scripted model makes four calls; the tests of the project print their namespace. Recorded by \`npm run campaign:clients -- --record\`; folders, ids and times are replaced, and long output is cut.`,
    ["```text", ...before.map(commandText), ...calls.map(callText), ...after.map(commandText)].join("\n"),
  ]
    .join("\n\n")
    .concat("```");
}

const dayOf = (date: string) =>
  new Date(date).toLocaleDateString("en-GB", { dateStyle: "long", timeZone: "UTC" });

function commandText({ line, output }: RecordedCommand): string {
  return `$ ${line}\n${output}\n`;
}

function callText({ shows, call, question, result }: RecordedCall): string {
  const asked = question === undefined ? [] : [`asks    ${question}`, "user    yes"];
  const title = question === undefined && shows === "asked" ? REFUSED : TITLES[shows];
  return [`# ${title}`, `model   ${call}`, ...asked, `result  ${shortened(result)}`, ""].join("\n");
}

const REFUSED = "asked: the client cannot ask for a hook, so it is refused with the rule to add";
const MOST_LINES = 5;

function shortened(text: string): string {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const shown = lines.length > MOST_LINES ? [...lines.slice(0, MOST_LINES), "…"] : lines;
  return shown.join(`\n${" ".repeat("result  ".length)}`);
}
