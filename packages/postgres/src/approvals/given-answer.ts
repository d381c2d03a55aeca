import type { GivenAnswer, PersonRequest } from "@toolkeep/core";
import { unknownKey } from "@toolkeep/core/internal";
import { HttpError } from "./http-error.ts";

type Fields = Readonly<Record<string, unknown>>;

/** What a person answers, in their own name; a signed answer stays as it is. @throws HttpError if it would be refused. */
export function givenAnswer(answer: unknown, request: PersonRequest, user: string): GivenAnswer {
  if ("questions" in request) return questionAnswers(answer);
  const fields = (typeof answer === "object" && answer !== null ? answer : {}) as Fields;
  if ("statement" in fields || "signature" in fields) return signed(fields);
  const { verdict, message } = fields;
  if (verdict !== "once" && verdict !== "reject")
    throw new HttpError(400, 'The verdict is "once" or "reject", or the answer is signed.');
  const known = verdict === "once" ? ["verdict"] : ["verdict", "message"];
  const unknown = Object.keys(fields).find((key) => !known.includes(key));
  if (unknown !== undefined) throw new HttpError(400, unknownKey(unknown, known, "field of an answer"));
  if (message !== undefined && typeof message !== "string")
    throw new HttpError(400, "`message` must be a text.");
  if (verdict === "reject") return { verdict, by: user, ...(message === undefined ? {} : { message }) };
  if (request.needs !== undefined)
    throw new HttpError(409, "This request needs signatures: send `{ statement, signature }`.");
  return { verdict, by: user };
}

function signed({ statement, signature, ...rest }: Fields): GivenAnswer {
  const isWhole = typeof statement === "object" && statement !== null && typeof signature === "string";
  if (!isWhole || Object.keys(rest).length > 0)
    throw new HttpError(400, "A signed answer is `{ statement, signature }` and nothing else.");
  return { statement, signature } as GivenAnswer;
}

function questionAnswers(answer: unknown): GivenAnswer {
  const isText = (one: unknown) => typeof one === "string";
  if (Array.isArray(answer) && answer.every((one) => Array.isArray(one) && one.every(isText)))
    return answer as GivenAnswer;
  throw new HttpError(400, "A question takes one list of texts for each of its questions.");
}
