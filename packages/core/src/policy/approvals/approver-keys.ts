import type { ApprovalRequest, Approvers, SignedApproval } from "../../contract/approval/approval.ts";
import type { RequiredApprovers } from "../../contract/policy/rule.ts";
import { assertKnownKeys, invalidOption } from "../../contract/values/error.ts";
import { canonicalJson } from "../../contract/values/json-text.ts";
import { onDemand } from "../../contract/values/on-demand.ts";
import { unlessThrown } from "../../contract/values/unless-thrown.ts";
import { type DatedKey, dateError, parseDatedKey } from "../../signatures/dated-key.ts";
import { sshKeyId } from "../../signatures/ssh-public-key.ts";
import { verifySshSignature } from "../../signatures/ssh-signature.ts";
import { APPROVAL_NAMESPACE, statementOf } from "./approval-statement.ts";

/** Checks signed approvals. A port, so that tests can show what each check prevents. */
export interface SignedApprovals {
  /** Why a signed approval does not apply to the request, or `undefined` if it does. */
  errorOf(signed: SignedApproval, request: ApprovalRequest, now: number): Promise<string | undefined>;
  /** Why this person's approval does not count after those of `before`, or `undefined` if it does. */
  memberError(
    approver: string,
    request: Pick<ApprovalRequest, "needs" | "principal">,
    before?: readonly string[],
  ): string | undefined;
  /** For each need: who of these approvers counts for it. */
  counted(
    needs: readonly RequiredApprovers[],
    approvers: readonly string[],
    requester: string | undefined,
  ): readonly CountedNeed[];
  /** Why a need can never be met, or `undefined`. */
  impossible(needs: readonly RequiredApprovers[], requester: string | undefined): string | undefined;
}

/** A need, and who has met it so far. */
export interface CountedNeed extends RequiredApprovers {
  readonly by: readonly string[];
}

interface Person {
  readonly name: string;
  readonly keys: readonly DatedKey[];
  readonly groups: ReadonlySet<string>;
  /** Every name of the person, each in one spelling. */
  readonly names: readonly string[];
}

/** The people who can sign approvals, and their keys. */
export class ApproverKeys implements SignedApprovals {
  readonly #people: ReadonlyMap<string, Person>;

  /** @throws ToolkeepError `invalid_option`. */
  constructor(approvers: Approvers = {}) {
    if (typeof approvers !== "object" || approvers === null || Array.isArray(approvers))
      throw invalidOption("`approvers` are people by their names, each with `keys`.");
    this.#people = new Map(Object.entries(approvers).map(([name, one]) => [name, personOf(name, one)]));
    assertDistinct([...this.#people.values()]);
  }

  async errorOf(
    { statement, signature }: SignedApproval,
    request: ApprovalRequest,
    now: number,
  ): Promise<string | undefined> {
    const { approver, key: keyId, verdict, expiresAt } = statement ?? {};
    const person = typeof approver === "string" ? this.#people.get(approver) : undefined;
    if (person === undefined) return "its approver is not one who can sign approvals here";
    const key = await keyOf(person, keyId);
    if (key === undefined) return `its key is not a key of ${person.name}`;
    const undated = dateError(key, now);
    if (undated !== undefined) return `its key of ${person.name} ${undated}`;
    if (verdict !== "once" && verdict !== "reject") return "its verdict is neither once nor reject";
    if (!Number.isSafeInteger(expiresAt)) return "it does not say when it expires";
    const expected = await statementOf(request, { verdict, approver: person.name, key: key.id, expiresAt });
    if (expected === undefined) return "the request has no nonce";
    const message = canonicalJson(expected);
    if (textOf(statement) !== message)
      return "it is for another request, or the tool, the arguments or the rules have changed since";
    const input = {
      publicKey: key.line,
      namespace: APPROVAL_NAMESPACE,
      message,
      signature: String(signature),
    };
    if (!(await verifySshSignature(input))) return "its signature is invalid";
    if (expiresAt > (request.expiresAt ?? expiresAt)) return "it lasts longer than the request";
    return now > expiresAt ? "it has expired" : undefined;
  }

  memberError(
    approver: string,
    { needs = [], principal }: Pick<ApprovalRequest, "needs" | "principal">,
    before: readonly string[] = [],
  ): string | undefined {
    if (before.includes(approver)) return `${approver} has signed it already`;
    const person = this.#people.get(approver);
    if (person !== undefined && isRequester(person, principal.user))
      return `${approver} made the request, and cannot approve it`;
    if (needs.some(({ group }) => person?.groups.has(group))) return undefined;
    return `${approver} is not in the group ${needs.map(({ group }) => group).join(" or ")}`;
  }

  counted(
    needs: readonly RequiredApprovers[],
    approvers: readonly string[],
    requester: string | undefined,
  ): readonly CountedNeed[] {
    const now = Date.now();
    const people = [...new Set(approvers)]
      .map((name) => this.#people.get(name))
      .filter((person) => person !== undefined && canSign(person, now) && !isRequester(person, requester));
    return needs.map((need) => ({
      ...need,
      by: people.flatMap((person) => (person?.groups.has(need.group) ? [person.name] : [])),
    }));
  }

  impossible(needs: readonly RequiredApprovers[], requester: string | undefined): string | undefined {
    if (requester === undefined)
      return "the principal of the session has no user, so that no approver can be told apart from the requester";
    const lacking = this.counted(needs, [...this.#people.keys()], requester).find(isLacking);
    if (lacking === undefined) return undefined;
    const { group, count, by } = lacking;
    return `it needs ${count} of the group ${group} besides ${requester}, and the configured approvers have ${by.length}`;
  }
}

/** Whether a need is not met. */
export function isLacking({ count, by }: CountedNeed): boolean {
  return by.length < count;
}

async function keyOf(
  { keys }: Person,
  id: unknown,
): Promise<(DatedKey & { readonly id: string }) | undefined> {
  for (const dated of keys) {
    const known = await sshKeyId(dated.key);
    if (known === id) return { ...dated, id: known };
  }
  return undefined;
}

/** Whether the person has a key that signs at this time: those who have left have none. */
function canSign({ keys }: Person, now: number): boolean {
  return keys.some((key) => dateError(key, now) === undefined);
}

/** `undefined` for what cannot be written as text, such as lists that are nested without end. */
function textOf(statement: unknown): string | undefined {
  return unlessThrown(() => canonicalJson(statement));
}

const NAME = onDemand(() => /^[^\p{C}\p{Z}](?:[^\p{C}\p{Zl}\p{Zp}]{0,254}[^\p{C}\p{Z}])?$/u);

function personOf(name: string, given: Approvers[string]): Person {
  const at = `\`approvers\`, ${JSON.stringify(name)}`;
  if (typeof given !== "object" || given === null) throw invalidOption(`${at}: an approver has \`keys\`.`);
  assertKnownKeys(given, ["keys", "groups", "users"], "field of an approver");
  const { keys, groups = [], users = [] } = given;
  for (const list of [keys, groups, users])
    if (!Array.isArray(list) || !list.every((one) => typeof one === "string"))
      throw invalidOption(`${at}: \`keys\`, \`groups\` and \`users\` are lists of texts.`);
  for (const one of [name, ...groups, ...users])
    if (!NAME().test(one) || one.normalize("NFKC") !== one)
      throw invalidOption(
        `${at}: ${JSON.stringify(one)} cannot be a name: it has invisible or ambiguous characters.`,
      );
  if (keys.length === 0) throw invalidOption(`${at}: there is no key. Remove the approver, or add one.`);
  return {
    name,
    keys: keys.map(parseDatedKey),
    groups: new Set(groups),
    names: [name, ...users].map(spelled),
  };
}

/** One person under two names, or two people with one key, could approve twice. */
function assertDistinct(people: readonly Person[]): void {
  const owners = new Map<string, string>();
  for (const { name, keys, names } of people) {
    const marks = [...keys.map(({ key }) => `the key ${key.blob.join(" ")}`), ...names];
    for (const mark of new Set(marks)) {
      const before = owners.get(mark);
      if (before !== undefined)
        throw invalidOption(
          `\`approvers\`: ${JSON.stringify(before)} and ${JSON.stringify(name)} have the same ${mark.startsWith("the key ") ? "key" : "name"}.`,
        );
      owners.set(mark, name);
    }
  }
  for (const one of people)
    for (const other of people)
      if (one !== other && one.names.some((name) => isRequester(other, name)))
        throw invalidOption(
          `\`approvers\`: ${JSON.stringify(one.name)} and ${JSON.stringify(other.name)} may be the same person.`,
        );
}

/** A name in one spelling: letter case and compatible forms of characters do not make another person. */
function spelled(name: string): string {
  return name.normalize("NFKC").replaceAll(/\p{C}/gu, "").trim().toLowerCase().normalize("NFKC");
}

function isRequester({ names }: Person, requester: string | undefined): boolean {
  return requester === undefined || isSpelledAs(names, spelled(requester));
}

/** Whether one of these names may be that of the requester. */
export function mayBeSamePerson(names: readonly string[], requester: string): boolean {
  return isSpelledAs(names.map(spelled), spelled(requester));
}

/** `ada` and `ada@example.com` may be the same person, so they are taken as such. */
function isSpelledAs(names: readonly string[], asking: string): boolean {
  return names.some(
    (name) =>
      name === asking ||
      ((!name.includes("@") || !asking.includes("@")) && localPart(name) === localPart(asking)),
  );
}

function localPart(name: string): string {
  return name.split("@", 1)[0] as string;
}
