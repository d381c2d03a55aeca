import type { ApprovalRequest } from "@toolkeep/core";
import { needsText, onBehalf, visible } from "@toolkeep/core/internal";
import { argumentRows, editableCommand, effectRows, remarkRows, type Shown } from "./call-rows.ts";
import { flowed, type PromptRow, wrapped } from "./prompt-rows.ts";
import { KEY_WORDS, LABELS, SANDBOXES } from "./prompt-words.ts";

/** The screen that a prompt is shown on. */
export interface PromptView {
  readonly columns: number;
  readonly rows: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** The home folder, to be shown as `~`. */
  readonly home?: string;
  /** The user of the terminal, who need not be told of calls on the user's own behalf. */
  readonly user?: string;
}

/** What a key does: once, no, no with a reason, for the session, for the project, edit, explain. */
export type ApprovalKey = keyof typeof KEY_WORDS;

/** A request as rows of a screen, and the keys that answer it. */
interface ApprovalPrompt {
  readonly rows: readonly PromptRow[];
  readonly keys: readonly ApprovalKey[];
}

/** More does not fit into what terminals keep to scroll back to. */
const MOST_ROWS = 900;
const LEAST_COLUMNS = 20;
const LONGEST_NAME = 1_000;
const LONGEST_REASON = 10_000;
/** How much is shown of a request that cannot be approved. */
const HEAD_ROWS = 30;
const TAIL_ROWS = 10;

/**
 * The approval prompt: who asks, what the call does, why it asks, what an answer would save, and the keys. Untrusted
 * text is escaped and stands behind a bar on every row. What does not fit on the screen as a whole ends with its title
 * again; what cannot be shown as a whole has no key that approves it.
 */
export function approvalPrompt(request: ApprovalRequest, view: PromptView): ApprovalPrompt {
  const { columns } = view;
  const title = titleRows(request, view);
  const what = [argumentRows(request, columns), effectRows(request, columns)];
  const body = [...what.flatMap(({ rows }) => rows), ...reasonRows(request, view)];
  const isWhole = what.every(isShownWhole) && namesOf(request).every((name) => name.length <= LONGEST_NAME);
  const always = alwaysRows(request, columns);
  const length = title.length + body.length + always.length;
  if (!isWhole || length > MOST_ROWS || columns < LEAST_COLUMNS) return refused({ title, body, columns });
  const keys = keysOf(request);
  const keyRows = flowed(keys.map(keyWords), { columns, tone: "keys" });
  const isLong = length + keyRows.length >= view.rows;
  const again = isLong ? [...longRows(length, columns), ...title, ...dangers(body)] : [];
  return { rows: [...title, ...body, ...always, ...again, ...keyRows], keys };
}

const isShownWhole = ({ isWhole }: Shown) => isWhole;

interface Refused {
  readonly title: readonly PromptRow[];
  readonly body: readonly PromptRow[];
  readonly columns: number;
}

function refused({ title, body, columns }: Refused): ApprovalPrompt {
  const isCut = body.length > HEAD_ROWS + TAIL_ROWS;
  const shown = isCut
    ? [...body.slice(0, HEAD_ROWS), { text: CUT }, ...body.slice(-TAIL_ROWS), ...title]
    : body;
  const keys = ["n", "w", "?"] as const;
  const why = columns < LEAST_COLUMNS ? TOO_NARROW : TOO_LONG;
  const rows = [
    ...title,
    ...shown,
    ...wrapped(why, { columns, tone: "danger" }),
    ...flowed(keys.map(keyWords), { columns, tone: "keys" }),
  ];
  return { rows, keys };
}

const CUT = "--- rows are left out here ---";
const TOO_LONG =
  "This request is too long to be shown in full, so it cannot be approved here. Add a rule that allows it, or reject it and ask for smaller steps.";
const TOO_NARROW = `This terminal has fewer than ${LEAST_COLUMNS} columns, so the request cannot be approved here.`;

function longRows(length: number, columns: number): readonly PromptRow[] {
  return wrapped(`The request has ${length} rows. Scroll up to read all of it. Again:`, {
    columns,
    tone: "title",
  });
}

/** The rows that must not scroll away. */
function dangers(body: readonly PromptRow[]): readonly PromptRow[] {
  return body.filter(({ tone }) => tone === "danger").slice(0, 5);
}

function titleRows(request: ApprovalRequest, { columns, home, user }: PromptView): readonly PromptRow[] {
  const { toolName, origin, agents, principal, sessionId, batch, context } = request;
  const whose = onBehalf(principal, user);
  const [directory] = context?.directories ?? [];
  const from =
    origin.source === "bundled"
      ? "built-in"
      : origin.source === "code"
        ? "of this application"
        : `from ${origin.source} ${plainName(origin.id ?? origin.layer)}`;
  const items = [
    `APPROVE?  ${plainName(toolName)} (${from})`,
    ...(whose === undefined ? [] : [`on behalf of ${whose}`]),
    ...(agents.length === 0 ? [] : [`agent ${agents.map(plainName).join(" > ")}`]),
    `session ${plainName(shortId(sessionId))}`,
    ...(batch.size > 1 ? [`${batch.index + 1} of ${batch.size}`] : []),
    ...(directory === undefined ? [] : [`in ${plainName(fromHome(directory, home))}`]),
  ];
  return flowed(items, { columns, tone: "title" });
}

function namesOf({ toolName, origin, agents, sessionId, context }: ApprovalRequest): readonly string[] {
  return [toolName, origin.id ?? "", sessionId, ...agents, ...(context?.directories.slice(0, 1) ?? [])];
}

/** In quotes unless it is a plain name: the name of a tool cannot continue as if it were the prompt. */
export function plainName(name: string): string {
  return /^[\w.@:/~+-]{1,100}$/.test(name)
    ? name
    : `"${visible(name, LONGEST_NAME).replaceAll('"', String.raw`\x22`)}"`;
}

function shortId(id: string): string {
  return /^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(id) ? id.slice(0, 8) : id;
}

function fromHome(path: string, home: string | undefined): string {
  return home !== undefined && (path === home || path.startsWith(`${home}/`))
    ? `~${path.slice(home.length)}`
    : path;
}

function reasonRows(request: ApprovalRequest, { columns, now }: PromptView): readonly PromptRow[] {
  const { reason, needs, principal, treatment, context, expiresAt, effects } = request;
  const line = (first: string, text = "") => wrapped(text, { first, columns });
  const runs = effects.some(
    ({ capability }) => capability.startsWith("shell.") || capability === "sandbox.leave",
  );
  return [
    ...line("Why it asks: ", visible(reason, LONGEST_REASON)),
    ...(needs === undefined
      ? []
      : line(
          "Who must approve: ",
          `${visible(needsText(needs, principal.user))}. Run \`toolkeep approvals approve ID --sign\`.`,
        )),
    ...(treatment.show === "undo"
      ? wrapped("IRREVERSIBLE: this action cannot be undone automatically.", { columns, tone: "danger" })
      : []),
    ...(context === undefined || context.taint.length === 0
      ? []
      : line("Taint: ", taintWords(context.taint))),
    ...(context === undefined || !runs ? [] : line("Sandbox: ", SANDBOXES[context.sandbox])),
    ...remarkRows(request, columns),
    ...(expiresAt === undefined ? [] : line("Expires ", expiryWords(expiresAt - now))),
  ];
}

type Context = NonNullable<ApprovalRequest["context"]>;

function taintWords(taint: Context["taint"]): string {
  const each = taint.map(({ label, from }) =>
    from === undefined ? LABELS[label] : `${LABELS[label]} (${visible(from)})`,
  );
  return `this session has read ${each.join(" and ")}`;
}

function expiryWords(leftMs: number): string {
  const seconds = Math.max(Math.floor(leftMs / 1_000), 0);
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60];
  const rest = String(seconds % 60).padStart(2, "0");
  return hours > 0 ? `in ${hours} h ${minutes} min` : `in ${minutes}:${rest}`;
}

/** What `s` and `p` would save. The lines are escaped by core; a bar in them stays on every row. */
function alwaysRows(
  { mayRemember, alwaysAllows = [] }: ApprovalRequest,
  columns: number,
): readonly PromptRow[] {
  const [first, ...rest] = alwaysAllows;
  if (!mayRemember || first === undefined) return [{ text: "This is asked every time." }];
  return [
    ...wrapped(`[s] and [p] would save: always allow ${safeLine(first)}`, { columns }),
    ...rest
      .map(safeLine)
      .flatMap((line) =>
        line.startsWith("  | ")
          ? wrapped(line.slice(4), { first: "  | ", columns })
          : wrapped(line, { columns }),
      ),
  ];
}

const LONGEST_LINE = 12_000;

/** Escaping a line twice would show its marks as if the model had written them. */
function safeLine(text: string): string {
  return /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text) ? visible(text, LONGEST_LINE) : text;
}

function keysOf(request: ApprovalRequest): readonly ApprovalKey[] {
  const { mayRemember, alwaysAllows = [], needs } = request;
  // A key that is pressed here proves nothing about who pressed it.
  if (needs !== undefined) return ["n", "w", "?"];
  const always = mayRemember && alwaysAllows.length > 0 ? (["s", "p"] as const) : [];
  const edit = editableCommand(request) === undefined ? [] : (["e"] as const);
  return ["y", ...always, "n", "w", ...edit, "?"];
}

function keyWords(key: ApprovalKey): string {
  return `[${key}] ${KEY_WORDS[key]}`;
}
