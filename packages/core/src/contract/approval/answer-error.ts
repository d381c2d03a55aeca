import { unknownKey } from "../values/unknown-keys.ts";
import type { ApprovalAnswer } from "./approval.ts";

/** What each answer can say besides its verdict. */
const FIELDS: Readonly<Record<ApprovalAnswer["verdict"], readonly string[]>> = {
  once: ["by", "isElsewhere"],
  always: ["scope", "by"],
  rules: ["rules", "by"],
  reject: ["message", "by"],
  edit: ["arguments", "by"],
};

type Fields = Readonly<Record<string, unknown>>;

/** Why an answer to an approval request is refused; `undefined` for one that is well formed. */
export function answerError(answer: unknown): string | undefined {
  const fields = fieldsOf(answer);
  const { verdict } = fields;
  if (knownFields(verdict) === undefined)
    return "its verdict is once, always, rules, edit or reject, with what belongs to that";
  if (verdict === "edit" && (typeof fields["arguments"] !== "object" || fields["arguments"] === null))
    return "an edit has `arguments`";
  if (verdict === "rules" && !Array.isArray(fields["rules"])) return "its `rules` are a list";
  return unknownField(answer)?.replace(/\.$/, "");
}

/**
 * A sentence about a field that an answer of this verdict cannot have; `undefined` if there is none. Such a field may
 * have been meant to limit the answer, or to tell the model something.
 */
export function unknownField(answer: unknown): string | undefined {
  const { verdict, ...rest } = fieldsOf(answer);
  const known = knownFields(verdict);
  const unknown = Object.keys(rest).find((key) => known?.includes(key) === false);
  return unknown === undefined
    ? undefined
    : `${unknownKey(unknown, known ?? [], `field of a "${String(verdict)}"`)} It can have ${list(known ?? [])}.`;
}

function fieldsOf(answer: unknown): Fields {
  return (typeof answer === "object" && answer !== null ? answer : {}) as Fields;
}

function knownFields(verdict: unknown): readonly string[] | undefined {
  return typeof verdict === "string" && Object.hasOwn(FIELDS, verdict)
    ? FIELDS[verdict as ApprovalAnswer["verdict"]]
    : undefined;
}

function list(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(" and ");
}
