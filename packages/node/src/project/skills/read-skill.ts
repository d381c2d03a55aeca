import { readYaml } from "@toolkeep/policy/internal";
import { splitFrontMatter } from "../front-matter.ts";

/** The content of a `SKILL.md`, and what is wrong with it. */
export interface ReadSkill {
  /** Missing if it cannot be used; the errors give the reason. */
  readonly skill?: { readonly name: string; readonly description: string; readonly body: string };
  readonly errors: readonly string[];
}

const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
/** What may be shown to a model and asked for by name. */
const USABLE = /^[a-z0-9-]{1,64}$/;
const LONGEST_NAME = 64;
const LONGEST_DESCRIPTION = 1_024;
const LONGEST_HEAD = 65_536;
const SPACE = /[\s\p{Cc}\u2028\u2029]+/gu;

/**
 * Reads a skill leniently: an invalid name is replaced with the name of its folder. There is no skill only if neither
 * name is valid, if there is no description, or if the front matter cannot be read.
 */
export function readSkill(text: string, folder: string): ReadSkill {
  const parts = splitFrontMatter(text);
  if (parts === undefined) return { errors: ["It does not begin with a head between two lines of `---`."] };
  const head = readHead(parts.head);
  if (typeof head === "string") return { errors: [head] };
  const description = oneLine(head.get("description"));
  if (description === "") return { errors: ["Its head has no `description`."] };
  const given = oneLine(head.get("name"));
  const name = [given, folder].find((one) => USABLE.test(one));
  if (name === undefined) return { errors: [`${RULE}, and the name of its folder is invalid too.`] };
  return {
    skill: { name, description: description.slice(0, LONGEST_DESCRIPTION), body: parts.body.trim() },
    errors: [...nameErrors(given, folder), ...descriptionErrors(description)],
  };
}

const RULE = `Its name must be at most ${LONGEST_NAME} small letters, digits and single hyphens`;

function nameErrors(given: string, folder: string): string[] {
  if (given === "") return ["Its head has no `name`; that of the folder is used."];
  const errors: string[] = [];
  if (!USABLE.test(given)) return [`${RULE}; that of the folder is used.`];
  if (!NAME.test(given)) errors.push(`${RULE}.`);
  if (given !== folder) errors.push(`Its name is ${JSON.stringify(given)}, not that of its folder.`);
  return errors;
}

function descriptionErrors({ length }: string): string[] {
  return length > LONGEST_DESCRIPTION
    ? [`Its description has more than ${LONGEST_DESCRIPTION} characters; the rest is dropped.`]
    : [];
}

/** The texts in a head by their keys, or why it cannot be read. */
function readHead(head: string): ReadonlyMap<string, string> | string {
  if (head.length > LONGEST_HEAD) return `Its head has more than ${LONGEST_HEAD} characters.`;
  const first = readYaml(head, "SKILL.md");
  // Many write a colon into a text without quoting it.
  const { root, diagnostics } = first.diagnostics.length === 0 ? first : readYaml(quoted(head), "SKILL.md");
  if (diagnostics.length > 0) return `Its head cannot be read: ${first.diagnostics[0]?.message ?? ""}`;
  if (root?.kind !== "map") return "Its head is no list of names and values.";
  return new Map(
    root.entries.flatMap(({ key, value }) => (value.kind === "scalar" ? [[key, value.text]] : [])),
  );
}

const PLAIN_ENTRY = /^([A-Za-z][\w-]*): +([^\s"'|>[{&*!].*)$/gm;

function quoted(head: string): string {
  return head.replaceAll(PLAIN_ENTRY, (_, key: string, value: string) => `${key}: ${JSON.stringify(value)}`);
}

function oneLine(text: string | undefined): string {
  return (text ?? "").replaceAll(SPACE, " ").trim();
}
