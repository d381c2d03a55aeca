import { type Body, events, listIn, type Protocol, type Turn, textOf } from "./protocol.ts";

/** The Responses API of OpenAI, as Codex uses it. */
export const responses: Protocol = {
  isFor: (path) => path.endsWith("/responses"),
  results(body) {
    if (listIn(body, "tools").length === 0) return undefined;
    return listIn(body, "input")
      .filter(({ type }) => typeof type === "string" && type.endsWith("call_output"))
      .map(({ output }) => textOf(output));
  },
  reply(turn, { body, id }) {
    const item = itemOf(turn, id);
    const response = { id: `resp_${id}`, object: "response", created_at: 1, model: body["model"] };
    const usage = {
      ...{ input_tokens: 10, input_tokens_details: { cached_tokens: 0 }, output_tokens: 5 },
      ...{ output_tokens_details: { reasoning_tokens: 0 }, total_tokens: 15 },
    };
    return events([
      { type: "response.created", response: { ...response, status: "in_progress", output: [] } },
      { type: "response.output_item.added", output_index: 0, item },
      { type: "response.output_item.done", output_index: 0, item },
      {
        type: "response.completed",
        response: { ...response, status: "completed", output: [item], usage },
      },
    ]);
  },
};

/** A tool whose input is text, and not an object. */
const TEXT = "text";

function itemOf(turn: Turn, id: string): Body {
  const status = "completed";
  if ("words" in turn)
    return {
      ...{ type: "message", id: `msg_${id}`, role: "assistant", status },
      content: [{ type: "output_text", text: turn.words, annotations: [] }],
    };
  const { tool: name, input } = turn.call;
  const call_id = `call_${id}`;
  return TEXT in input
    ? { type: "custom_tool_call", id: `ct_${id}`, call_id, name, input: input[TEXT], status }
    : { type: "function_call", id: `fc_${id}`, call_id, name, arguments: JSON.stringify(input), status };
}
