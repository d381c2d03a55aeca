import { type Body, events, json, listIn, type Protocol, type Turn, textOf } from "./protocol.ts";

/** The Messages API of Anthropic. */
export const anthropic: Protocol = {
  isFor: (path) => /\/v1\/messages(?:\?|$)/.test(path),
  results(body) {
    if (listIn(body, "tools").length === 0) return undefined;
    return listIn(body, "messages")
      .flatMap((message) => listIn(message, "content"))
      .filter(({ type }) => type === "tool_result")
      .map(({ content }) => textOf(content));
  },
  reply(turn, { body, id }) {
    const block = blockOf(turn, id);
    const stop_reason = "call" in turn ? "tool_use" : "end_turn";
    const usage = { ...{ input_tokens: 10, cache_creation_input_tokens: 0 }, output_tokens: 1 };
    const message = {
      ...{ id: `msg_${id}`, type: "message", role: "assistant", model: body["model"], content: [] },
      ...{ stop_reason: null, stop_sequence: null, usage: { ...usage, cache_read_input_tokens: 0 } },
    };
    if (body["stream"] !== true) return json({ ...message, content: [block.whole], stop_reason });
    return events([
      { type: "message_start", message },
      { type: "content_block_start", index: 0, content_block: block.start },
      { type: "content_block_delta", index: 0, delta: block.delta },
      { type: "content_block_stop", index: 0 },
      {
        type: "message_delta",
        delta: { stop_reason, stop_sequence: null },
        usage: { output_tokens: 20 },
      },
      { type: "message_stop" },
    ]);
  },
};

function blockOf(
  turn: Turn,
  id: string,
): { readonly whole: Body; readonly start: Body; readonly delta: Body } {
  if ("words" in turn)
    return {
      whole: { type: "text", text: turn.words },
      start: { type: "text", text: "" },
      delta: { type: "text_delta", text: turn.words },
    };
  const { tool, input } = turn.call;
  const start = { type: "tool_use", id: `toolu_${id}`, name: tool };
  return {
    whole: { ...start, input },
    start: { ...start, input: {} },
    delta: { type: "input_json_delta", partial_json: JSON.stringify(input) },
  };
}
