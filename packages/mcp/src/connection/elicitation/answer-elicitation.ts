import type { ElicitRequestParams, ElicitResult } from "@modelcontextprotocol/client";
import { unlessAborted } from "../link/unless-aborted.ts";
import type { InFlight } from "../requests/in-flight.ts";
import { serverText } from "../requests/request-failure.ts";
import { type Ask, askForm } from "./ask-form.ts";
import { type FormField, formFields } from "./form-field.ts";
import { asksForSecret } from "./secret-words.ts";

const DECLINED: ElicitResult = { action: "decline" };
const CANCELLED: ElicitResult = { action: "cancel" };

/** How many questions a server may ask the user during one request. */
const MOST_ASKED = 10;

const OPENED = "I opened it";
const ACCEPT = "Accept";

/** Asks the user of the latest request. Never for secrets, without a request, or more often than the limit. */
export async function answerElicitation(
  params: ElicitRequestParams,
  server: string,
  inFlight: InFlight,
): Promise<ElicitResult> {
  const request = inFlight.latest;
  if (request === undefined) return DECLINED;
  request.asked += 1;
  if (request.asked > MOST_ASKED) return DECLINED;
  const askPerson = questionFor(params, server);
  if (askPerson === undefined) return DECLINED;
  const { ask, signal } = request;
  if (ask === undefined) return CANCELLED;
  try {
    return await inFlight.pausedWhile(() =>
      unlessAborted(
        askPerson((questions) => ask(questions)),
        signal,
      ),
    );
  } catch {
    return CANCELLED;
  }
}

type AskPerson = (ask: Ask) => Promise<ElicitResult>;

/** How the question is shown to the user; `undefined` if it must not be asked. */
function questionFor(params: ElicitRequestParams, server: string): AskPerson | undefined {
  if (params.mode === "url") return pageQuestion(params.url, params.message, server);
  const fields = formFields(params.requestedSchema);
  if (fields === undefined || isForSecret(params.message, fields)) return undefined;
  if (fields.length === 0) return (ask) => askToConfirm(params.message, server, ask);
  return async (ask) => {
    const content = await askForm({ server, message: params.message, fields }, ask);
    return content === undefined ? DECLINED : { action: "accept", content };
  };
}

/** A choice among the server's own options cannot contain a secret. */
function isForSecret(message: string, fields: readonly FormField[]): boolean {
  const open = fields.filter(({ kind }) => kind.type === "text" || kind.type === "number");
  if (fields.length > 0 && open.length === 0) return false;
  return asksForSecret(message) || open.some(isSecretField);
}

function isSecretField({ name, title, description, kind }: FormField): boolean {
  return (kind.type === "text" && kind.isPassword) || [name, title, description].some(asksForSecret);
}

/** A page is only shown. Only the user opens it. */
function pageQuestion(address: string, message: string, server: string): AskPerson | undefined {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url?.protocol !== "https:" || url.username !== "" || url.password !== "") return undefined;
  return async (ask) => {
    const question = [
      `The MCP server "${server}" asks you to open a page on ${url.host}: ${serverText(message)}`,
      url.href,
    ].join("\n");
    const [answer] = await ask([{ question, options: [{ label: OPENED }, { label: "Decline" }] }]);
    return answer?.[0] === OPENED ? { action: "accept" } : DECLINED;
  };
}

async function askToConfirm(message: string, server: string, ask: Ask): Promise<ElicitResult> {
  const question = `The MCP server "${server}" asks: ${serverText(message)}`;
  const [answer] = await ask([{ question, options: [{ label: ACCEPT }, { label: "Decline" }] }]);
  return answer?.[0] === ACCEPT ? { action: "accept", content: {} } : DECLINED;
}
