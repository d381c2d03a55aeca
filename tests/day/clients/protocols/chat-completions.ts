import { events, json, listIn, type Protocol, textOf } from "./protocol.ts";

/** The Chat Completions API of OpenAI, which others offer as well. */
export const chatCompletions: Protocol = {
  isFor: (path) => path.endsWith("/chat/completions"),
  results(body) {
    if (listIn(body, "tools").length === 0) return undefined;
    return listIn(body, "messages")
      .filter(({ role }) => role === "tool")
      .map(({ content }) => textOf(content));
  },
  reply(turn, { body, id }) {
    const finish_reason = "call" in turn ? "tool_calls" : "stop";
    const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
    const said =
      "call" in turn
        ? {
            role: "assistant",
            content: null,
            tool_calls: [
              {
                ...{ index: 0, id: `call_${id}`, type: "function" },
                function: { name: turn.call.tool, arguments: JSON.stringify(turn.call.input) },
              },
            ],
          }
        : { role: "assistant", content: turn.words };
    const base = { id: `cc_${id}`, created: 1, model: body["model"] };
    if (body["stream"] !== true) {
      const choices = [{ index: 0, finish_reason, message: said }];
      return json({ ...base, object: "chat.completion", choices, usage });
    }
    const chunk = { ...base, object: "chat.completion.chunk" };
    return events([
      { ...chunk, choices: [{ index: 0, delta: said, finish_reason: null }] },
      { ...chunk, choices: [{ index: 0, delta: {}, finish_reason }], usage },
      "[DONE]",
    ]);
  },
};
