import { readdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { WaitingRequest } from "@toolkeep/core";
import {
  APPROVAL_NAMESPACE,
  ApproverKeys,
  type DatedKey,
  dateError,
  parseDatedKey,
  parseSshPublicKey,
  sshKeyId,
  visible,
} from "@toolkeep/core/internal";
import { type Approvers, approvalStatement, type SignedApproval } from "@toolkeep/core/policy";
import { signWithSsh } from "@toolkeep/node/internal";
import { withStore } from "../project/store/with-store.ts";
import { CommandError, EXIT, usageError } from "../terminal/command-error.ts";
import { confirmed, printableJson, type Terminal } from "../terminal/terminal.ts";
import { findRequest, requestLines } from "./pending-requests.ts";

export interface SignedSubmission {
  /** The id of the request; may be shortened. */
  readonly id: string;
  readonly verdict: SignedApproval["statement"]["verdict"];
  readonly terminal: Terminal;
  /** The people who can sign. */
  readonly approvers: Approvers;
  readonly yes: boolean | undefined;
  /** The file of the key. */
  readonly key?: string | undefined;
  /** A file that `approvals show --json` wrote: the request waits on another machine. */
  readonly request?: string | undefined;
  /** A file that was signed on another machine. */
  readonly signed?: string | undefined;
}

const LASTS_MS = 24 * 3_600_000;
const MOST_BYTES = 1_000_000;

/**
 * Signs the answer to a request, and leaves it for the session; or writes it to standard output, for a request of
 * another machine. The session decides whether it counts.
 * @throws CommandError
 */
export async function submitSigned(submission: SignedSubmission): Promise<void> {
  const { terminal, request: file, signed } = submission;
  if (file !== undefined) {
    const { found } = requestIn(file, submission.id);
    const answer = await signedAnswer(found, [found], submission);
    terminal.show(answer, [printableJson(JSON.stringify(answer))]);
    return;
  }
  const pending = await withStore(terminal.cwd, (store) => store.waiting());
  const found = findRequest(submission.id, pending);
  const answer = signed === undefined ? await signedAnswer(found, pending, submission) : signedIn(signed);
  const { sessionId, request } = found;
  await withStore(terminal.cwd, async (store) => {
    findRequest(`${sessionId}:${request.id}`, await store.waiting());
    await store.answer({ sessionId, id: request.id }, answer);
  });
  const { approver, verdict } = answer.statement;
  const word = verdict === "once" ? "Approved" : "Rejected";
  terminal.show({ id: request.id, sessionId, answer }, [
    `${word} and signed as ${visible(approver)}. The session checks the signature when it takes it.`,
  ]);
}

async function signedAnswer(
  found: WaitingRequest,
  pending: readonly WaitingRequest[],
  { verdict, terminal, approvers, yes, key: named }: SignedSubmission,
): Promise<SignedApproval> {
  const { request } = found;
  if (!("binding" in request))
    throw new CommandError("This request is a question, and answers to questions are not signed.", {
      hint: "Run `toolkeep approvals answer ID TEXT…` with one text for each question.",
    });
  const key = await signingKey(named, approvers);
  const error =
    verdict === "once" && request.needs !== undefined
      ? new ApproverKeys(approvers).memberError(key.approver, request)
      : undefined;
  if (error !== undefined)
    throw new CommandError(`This would not count: ${visible(error)}.`, { exit: EXIT.denied });
  terminal.note(requestLines(found, pending).join("\n"));
  const word = verdict === "once" ? "Approve" : "Reject";
  await confirmed(
    {
      question: `${word} this call, signed as ${visible(key.approver)}?`,
      yes,
      refused: "Nothing was signed.",
    },
    terminal,
  );
  const { statement, text } = await approvalStatement(request, {
    verdict,
    approver: key.approver,
    publicKey: key.publicKey,
    expiresAt: request.expiresAt ?? Date.now() + LASTS_MS,
  });
  const signature = await signWithSsh({ keyFile: key.keyFile, namespace: APPROVAL_NAMESPACE, message: text });
  return { statement, signature };
}

function requestIn(file: string, id: string): { readonly found: WaitingRequest } {
  const { request, sessionId, askedAt } = readJson(file) as Partial<WaitingRequest> & { askedAt?: string };
  const isRequest = typeof request === "object" && request !== null && "binding" in request;
  if (!isRequest || typeof sessionId !== "string" || request.sessionId !== sessionId)
    throw usageError(
      `${JSON.stringify(file)} is not a request.`,
      "Write it on the other machine: `toolkeep approvals show ID --json > request.json`.",
    );
  const found: WaitingRequest = { sessionId, askedAt: Date.parse(String(askedAt)) || 0, request };
  findRequest(id, [found]);
  return { found };
}

function signedIn(file: string): SignedApproval {
  const answer = readJson(file) as Partial<SignedApproval>;
  if (
    typeof answer.signature === "string" &&
    typeof answer.statement === "object" &&
    answer.statement !== null
  )
    return { statement: answer.statement, signature: answer.signature };
  throw usageError(`${JSON.stringify(file)} is not a signed answer.`);
}

function readJson(file: string): object {
  try {
    const text = readFileSync(file, "utf8");
    const value: unknown = text.length > MOST_BYTES ? undefined : JSON.parse(text);
    if (typeof value === "object" && value !== null) return value;
  } catch (cause) {
    throw new CommandError(`${JSON.stringify(file)} cannot be read: ${(cause as Error).message}`);
  }
  throw new CommandError(`${JSON.stringify(file)} cannot be read.`);
}

/** A key of an approver, and where it is. */
interface SigningKey {
  /** The name that the administrator's configuration gives its owner. */
  readonly approver: string;
  /** A line of a `.pub` file. */
  readonly publicKey: string;
  /** For `ssh-keygen`: the private key, or the `.pub` file of one that an agent holds. */
  readonly keyFile: string;
}

/** A key of an approver, as the administrator's configuration has it. */
interface OwnedKey {
  readonly approver: string;
  readonly dates: DatedKey;
}

const MOST_FILES = 200;

/**
 * The key to sign with: the one that is named, or the only key in `~/.ssh` that belongs to an approver. Whose it is
 * says the administrator's configuration: no other name can be given.
 * @throws CommandError
 */
export async function signingKey(
  named: string | undefined,
  approvers: Approvers,
  folder = join(homedir(), ".ssh"),
): Promise<SigningKey> {
  const owners = await ownersOf(approvers);
  const now = Date.now();
  if (owners.size === 0)
    throw new CommandError("No approvers are configured, so that there is no key to sign with.", {
      hint: "An administrator sets `approvers`: the names, public keys and groups of the people who sign.",
    });
  if (named !== undefined) {
    const key = await keyAt(named, owners);
    const undated = key === undefined ? undefined : dateError(key.dates, now);
    if (undated !== undefined)
      throw new CommandError(`This would not count: the key ${JSON.stringify(named)} ${undated}.`, {
        exit: EXIT.denied,
      });
    if (key !== undefined) return key;
    throw new CommandError(`The key ${JSON.stringify(named)} belongs to no approver.`, {
      hint: "Use a key that is listed in the administrator's `approvers`.",
    });
  }
  const known = await Promise.all(publicFiles(folder).map((file) => keyAt(file, owners)));
  const found = known
    .filter((key) => key !== undefined)
    .filter(({ dates }) => dateError(dates, now) === undefined);
  const [first, ...others] = found;
  if (first !== undefined && others.length === 0) return first;
  throw usageError(
    first === undefined
      ? `No key in ${folder} belongs to an approver.`
      : `Several keys belong to approvers: ${found.map(({ keyFile }) => keyFile).join(", ")}.`,
    "Name the key: --key FILE. For a key in an agent, name its .pub file.",
  );
}

/** The approvers by the ids of their keys. */
async function ownersOf(approvers: Approvers): Promise<ReadonlyMap<string, OwnedKey>> {
  const owners = new Map<string, OwnedKey>();
  for (const [approver, { keys }] of Object.entries(approvers))
    for (const line of keys) {
      const dates = parseDatedKey(line);
      owners.set(await sshKeyId(dates.key), { approver, dates });
    }
  return owners;
}

function publicFiles(folder: string): readonly string[] {
  try {
    const names = readdirSync(folder).filter((name) => name.endsWith(".pub"));
    return names.slice(0, MOST_FILES).map((name) => join(folder, name));
  } catch {
    return [];
  }
}

/** `undefined` for a key of no approver, and for a file that cannot be read. */
async function keyAt(
  file: string,
  owners: ReadonlyMap<string, OwnedKey>,
): Promise<(SigningKey & OwnedKey) | undefined> {
  const publicFile = file.endsWith(".pub") ? file : `${file}.pub`;
  try {
    const publicKey = readFileSync(publicFile, "utf8").trimEnd();
    const owned = owners.get(await sshKeyId(parseSshPublicKey(publicKey)));
    return owned === undefined ? undefined : { ...owned, publicKey, keyFile: privateFile(file) };
  } catch {
    return undefined;
  }
}

/** The private key next to a public one; without it, an agent must hold it. */
function privateFile(file: string): string {
  const own = file.replace(/\.pub$/, "");
  try {
    readFileSync(own);
    return own;
  } catch {
    return file;
  }
}
