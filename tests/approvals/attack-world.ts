import {
  type ApprovalRequest,
  type GivenAnswer,
  memoryStore,
  type Session,
  type SessionOptions,
  type SessionStore,
  ToolkeepError,
} from "@toolkeep/core";
import { ApproverKeys, createSessionWithPorts, effect } from "@toolkeep/core/internal";
import {
  type Approvers,
  approvalStatement,
  type SignedApproval,
  type StatementInput,
} from "@toolkeep/core/policy";
import { scriptedApprover, stubTool } from "@toolkeep/core/testing";
import { call } from "../scenario.ts";
import { newKey, type SignatureParts, type TestKey } from "../ssh-keys.ts";

const REQUESTER = "erin@example.com";
export const BY_TWO = 'ask payments.send "*" by 2 of group payments';
export const PLAIN = 'ask payments.send "*"';

type Ports = NonNullable<Parameters<typeof createSessionWithPorts>[0]>;
type Checks = NonNullable<Ports["signedApprovals"]>;

/** Verification switched off: every statement counts. */
const UNCHECKED: Checks = {
  errorOf: async () => undefined,
  memberError: () => undefined,
  counted: (needs, approvers) => needs.map((need) => ({ ...need, by: approvers })),
  impossible: () => undefined,
};

/** What a control switches off: the check of statements, or that the rule says who must approve. */
export type Control = "unchecked" | "plain rule" | "unchanged policy" | "one of the group";

/** People, keys, a store, and sessions in which a payment waits. */
export class AttackWorld {
  readonly keys = {
    alice: newKey(),
    "alice's second": newKey(),
    bob: newKey(),
    carol: newKey(),
    erin: newKey(),
    dave: newKey(),
    mallory: newKey(),
  };
  readonly store: SessionStore = memoryStore();
  /** The payments that were made. */
  readonly paid: unknown[] = [];
  readonly control: Control | undefined;
  readonly #open: Session[] = [];

  constructor(control: Control | undefined) {
    this.control = control;
  }

  get approvers(): Approvers {
    const { keys } = this;
    return {
      "alice@example.com": {
        keys: [keys.alice.line, keys["alice's second"].line],
        groups: ["payments"],
      },
      "bob@example.com": { keys: [keys.bob.line], groups: ["payments"] },
      "carol@example.com": { keys: [keys.carol.line], groups: ["Payments", "support"] },
      "erin@example.com": { keys: [keys.erin.line], groups: ["payments"] },
    };
  }

  /** The rule of the policy; a control has one without approvers. */
  rule(line: string = BY_TWO): string {
    if (this.control === "plain rule") return line.replace(/ by (?:\d+ of )?group \S+/, "");
    return this.control === "one of the group" ? line.replace("by 2 of", "by") : line;
  }

  /** What a policy becomes later; not in the control. */
  later(after: readonly string[], before: readonly string[]): readonly string[] {
    return this.control === "unchanged policy" ? before : after;
  }

  async session(options: Partial<Ports> & SessionOptions = {}): Promise<Session> {
    const pay = stubTool("pay", ({ to }) => this.paid.push(to), {
      requires: { capabilities: ["payments.send"] },
      effects: ({ to }) => [effect("payments.send", String(to))],
      mode: "safe_write",
    }).tool;
    const session = await createSessionWithPorts({
      ...{ id: "s1", store: this.store, tools: [pay], policy: [this.rule()] },
      ...{ approver: scriptedApprover("later"), principal: { user: REQUESTER } },
      approvers: this.approvers,
      ...(this.control === "unchecked" ? { signedApprovals: UNCHECKED } : {}),
      ...options,
    });
    this.#open.push(session);
    return session;
  }

  /** A session in which a payment waits, and its request. */
  async waiting(
    options: Partial<Ports> & SessionOptions = {},
    { turn = "t1", to = "acme" } = {},
  ): Promise<{ readonly session: Session; readonly request: ApprovalRequest }> {
    const session = await this.session(options);
    return { session, request: await this.ask(session, turn, to) };
  }

  async ask(session: Session, turn: string, to = "acme"): Promise<ApprovalRequest> {
    const outcome = await session.run([call("pay", { to, amount: 100 })], { id: turn });
    const [request] = outcome.requests;
    if (request === undefined || !("binding" in request)) throw new Error("Nothing was asked.");
    return request;
  }

  /** A signed answer of a person, by default a good one. */
  async signed(
    request: ApprovalRequest,
    who: keyof AttackWorld["keys"],
    { parts, namespace, key = this.keys[who], ...more }: Partial<StatementInput> & SigningMore = {},
  ): Promise<SignedApproval> {
    const { statement, text } = await approvalStatement(request, {
      verdict: "once",
      approver: `${who.split("'")[0]}@example.com`,
      publicKey: key.line,
      expiresAt: Date.now() + 60_000,
      ...more,
    });
    return { statement, signature: this.keys[who].sign(namespace ?? "toolkeep-approval", text, parts) };
  }

  /** Gives answers one after the other; refused ones are passed over, as an attacker would. */
  async give(session: Session, request: ApprovalRequest, ...answers: readonly GivenAnswer[]): Promise<void> {
    for (const answer of answers)
      await session.answer(request.id, answer).catch((error: unknown) => {
        if (!ToolkeepError.isInstance(error) || error.code !== "answer_refused") throw error;
      });
  }

  /** Gives the answers and runs the turn as far as it goes. */
  async finish(
    session: Session,
    request: ApprovalRequest,
    ...answers: readonly GivenAnswer[]
  ): Promise<void> {
    await this.give(session, request, ...answers);
    await session.resume(request.id.split("/")[0] ?? "");
  }

  async close(): Promise<void> {
    for (const session of this.#open) await session.close();
  }
}

interface SigningMore {
  readonly parts?: SignatureParts;
  readonly namespace?: string;
  /** The key that the statement names, if it is not the one that signs. */
  readonly key?: TestKey;
}

/** The same without the verification of the people of a world, for keys that no session takes. */
export const acceptsApprovers = (approvers: Approvers): boolean => {
  try {
    return new ApproverKeys(approvers) instanceof ApproverKeys;
  } catch {
    return false;
  }
};
