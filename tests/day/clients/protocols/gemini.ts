import { events, json, listIn, type Protocol } from "./protocol.ts";

/** The Gemini API of Google. */
export const gemini: Protocol = {
  isFor: (path) => /:(?:streamGenerateContent|generateContent)/.test(path),
  results(body) {
    const declared = listIn(body, "tools").flatMap((one) => listIn(one, "functionDeclarations"));
    if (declared.length === 0) return undefined;
    return listIn(body, "contents")
      .flatMap((content) => listIn(content, "parts"))
      .flatMap(({ functionResponse }) =>
        functionResponse === undefined ? [] : [JSON.stringify(functionResponse)],
      );
  },
  reply(turn, { path }) {
    const part =
      "call" in turn
        ? { functionCall: { name: turn.call.tool, args: turn.call.input } }
        : { text: turn.words };
    const reply = {
      candidates: [{ index: 0, content: { role: "model", parts: [part] }, finishReason: "STOP" }],
      usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
      modelVersion: "scripted",
    };
    return path.includes("stream") ? events([reply]) : json(reply);
  },
};
