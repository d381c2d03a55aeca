import type { Effect } from "../call/effect.ts";
import type { Treatment } from "../call/mode.ts";
import type { Principal } from "../people/principal.ts";
import type { QuestionAnswers, QuestionRequest } from "../people/question.ts";
import type { RequiredApprovers, Rule } from "../policy/rule.ts";
import { unknownKey } from "../values/error.ts";
import type { Origin } from "../values/origin.ts";

/** A call that waits for approval, and what an answer is bound to. Secrets are replaced. Print `lines` to show it. */
export interface ApprovalRequest {
  readonly id: string;
  readonly sessionId: string;
  readonly callId: string;
  readonly toolName: string;
  readonly label: string;
  readonly origin: Origin;
  readonly arguments: unknown;
  readonly effects: readonly Effect[];
  /** What the call is about. `always` remembers it together with exactly these effects. */
  readonly approvalKey: string;
  /** Why approval is needed: what is at stake, and which rule asks or that none matches. */
  readonly reason: string;
  /** What is at stake alone, without the rule, for people who do not write rules. */
  readonly because?: string;
  /** What asks: `rules`, or the names of watchdogs. */
  readonly askedBy: readonly string[];
  /** The rules that ask, each as a line with its reason. */
  readonly rules?: readonly string[];
  /** Who must approve it, by signature: every entry. Missing if any answer will do. */
  readonly needs?: readonly RequiredApprovers[];
  /** Random for each request: an answer that was signed for another one with the same ids does not apply. */
  readonly nonce?: string;
  /** From the root agent to the subagent that makes the call; empty for the root agent itself. */
  readonly agents: readonly string[];
  /** On whose behalf the call is made. */
  readonly principal: Principal;
  /** What to show with it. */
  readonly treatment: Treatment;
  /** What an answer is bound to. */
  readonly binding: ApprovalBinding;
  /** Whether the answer can be `always`. */
  readonly mayRemember: boolean;
  /** What `always` allows, as lines that are safe to print, to be read after "allows". Missing if it is no answer. */
  readonly alwaysAllows?: readonly string[];
  /** The session at the moment of the request, for people. Decides nothing. */
  readonly context?: {
    /** The directories that the agent works in. */
    readonly directories: readonly string[];
    /** The isolation of commands. */
    readonly sandbox: "none" | "files" | "files-and-network";
    /** What the session has taken in or touched, and what that came from where it is known. */
    readonly taint: readonly { readonly label: "untrusted" | "private"; readonly from?: string }[];
  };
  /** Rules that would allow this call and similar ones. Show first what else they cover (`session.preview`). */
  readonly suggestions: readonly Rule[];
  /** Rules that together allow this call and nothing else. Absent where a rule cannot say that, or would not help. */
  readonly exactRules?: readonly Rule[];
  /** Requests that were made together, and can be shown as one grouped approval. */
  readonly batch: { readonly id: string; readonly index: number; readonly size: number };
  /** Milliseconds since the epoch; a later answer is refused. */
  readonly expiresAt?: number;
  /** The whole request as lines that are safe to print: text of a model or a tool cannot imitate the rest. */
  readonly lines: readonly string[];
}

/** Fingerprints: an answer applies to these arguments and this definition of the tool only. */
export interface ApprovalBinding {
  readonly arguments: string;
  readonly definition: string;
}

/**
 * An answer to an approval request. `by` says who gave it.
 *
 * @example
 * await session.answer(request.id, { verdict: "once", by: "ada" });
 * await session.answer(request.id, { verdict: "reject", message: "Use the staging database." });
 */
export type ApprovalAnswer =
  /**
   * `isElsewhere`: the question was handed to another program, which does not say what was answered. `signed`: the
   * statements of those who approved it, set by the session, which verified them.
   */
  | {
      readonly verdict: "once";
      readonly by?: string;
      readonly isElsewhere?: true;
      readonly signed?: readonly SignedApproval[];
    }
  /**
   * Allows the same call from now on: the same tool with the same definition, approval key and effects, for the same
   * user, groups, tenant, role, environment and isolation. If the effects say too little, also the same arguments. Default scope:
   * `session`. `project` lasts until it is revoked in the store; without a store it is the session's.
   */
  | { readonly verdict: "always"; readonly scope?: "session" | "project"; readonly by?: string }
  /** Adds rules to this session, such as `suggestions`. They must allow this call, and apply to its principal alone. */
  | { readonly verdict: "rules"; readonly rules: readonly Rule[]; readonly by?: string }
  | {
      readonly verdict: "reject";
      readonly message?: string;
      readonly by?: string;
      readonly signed?: readonly SignedApproval[];
    }
  | {
      readonly verdict: "edit";
      readonly arguments: Readonly<Record<string, unknown>>;
      readonly by?: string;
    };

/** What an approver signs: the answer to one request, and everything it is bound to. */
export interface ApprovalStatement {
  /** The id of the request. */
  readonly request: string;
  readonly session: string;
  readonly call: string;
  readonly origin: Origin;
  readonly binding: ApprovalBinding;
  /** A fingerprint of what asks, the rules that ask, who must approve, and who made the request. */
  readonly policy: string;
  /** A fingerprint of the lines that the approver is shown. */
  readonly shown: string;
  /** That of the request. */
  readonly nonce: string;
  readonly verdict: "once" | "reject";
  /** The name of the approver, as the session's `approvers` have it. */
  readonly approver: string;
  /** The key that signs it: `SHA256:…`, as `ssh-keygen -l` prints it. */
  readonly key: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** A statement, and the signature of its canonical JSON as `ssh-keygen -Y sign -n toolkeep-approval` writes it. */
export interface SignedApproval {
  readonly statement: ApprovalStatement;
  readonly signature: string;
}

/** The people who can sign approvals, by name: from the host application, and never from what an agent can write. */
export type Approvers = Readonly<
  Record<
    string,
    {
      /**
       * Lines of `.pub` files: `ssh-ed25519 AAAA…`. A key belongs to one person. `valid-before=20261101Z ` before a line
       * ends what the key may sign, and keeps what it signed before verifiable.
       */
      readonly keys: readonly string[];
      readonly groups?: readonly string[];
      /** Other names of the same person as a requester, such as the name at the operating system. */
      readonly users?: readonly string[];
    }
  >
>;

/** An answer to a request of a session: to an approval, plain or signed, or to questions of a tool. */
export type GivenAnswer = ApprovalAnswer | SignedApproval | QuestionAnswers;

/** A request to the user: to approve a call, or to answer questions of a tool. */
export type PersonRequest = ApprovalRequest | QuestionRequest;

/**
 * Port: answers approval requests. `later` means that the request was delivered and the answer comes by
 * `session.answer` or `store.answer`: the turn waits. Default of a session: every request is denied.
 *
 * @example
 * const approver: Approver = {
 *   approve: async ({ lines }) => ((await confirm(lines.join("\n"))) ? { verdict: "once" } : { verdict: "reject" }),
 * };
 */
export interface Approver {
  /** The user who is asked, where that is certain: a request on this user's own behalf does not say so in its `lines`. */
  readonly user?: string;
  approve(request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalAnswer | "later">;
  /** Answers questions of tools. Without it, a tool that asks gets a failure. */
  answer?(request: QuestionRequest, signal: AbortSignal): Promise<QuestionAnswers | "later">;
}

/** Port: keeps `always` answers with the scope `project`, for one project. */
export interface ProjectApprovals {
  has(entry: string): boolean | Promise<boolean>;
  add(entry: string, about: RememberedApproval): void | Promise<void>;
}

/** What a remembered approval was about, for lists of approvals. Secrets are replaced. */
export interface RememberedApproval {
  /** The same for all entries of one answer. */
  readonly id: string;
  readonly toolName: string;
  readonly origin: string;
  readonly approvalKey: string;
  /** What exactly it covers, as lines that are safe to print. */
  readonly lines: readonly string[];
  readonly asker: string;
  readonly by?: string;
}

/** A remembered approval, as a store lists it. */
export interface StoredApproval extends RememberedApproval {
  /** Identifies it: a fingerprint. */
  readonly entry: string;
  /** Milliseconds since the epoch. */
  readonly addedAt: number;
}

export const HEADLESS_DENIAL = "Denied: this call needs approval and no approver is configured.";
export const HEADLESS_QUESTION =
  "No approver is configured to answer questions. Continue with your best guess.";

/** Denies every request. The default of a session. */
export const headlessApprover: Approver = Object.freeze({
  approve: async ({ reason }: ApprovalRequest) =>
    ({
      verdict: "reject",
      message: `${HEADLESS_DENIAL} It asked because: ${reason}`,
      by: "headless",
    }) as const,
});

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
