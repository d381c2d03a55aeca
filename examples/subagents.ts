import { type AgentDefinition, createAgent } from "@toolkeep/ai";
import { defineTool, effects } from "@toolkeep/core";
import { standardTools } from "@toolkeep/tools";
import { convertArrayToReadableStream, MockLanguageModelV4 } from "ai/test";

const fetchPage = defineTool({
  name: "fetch_page",
  description: "Fetches a page.",
  inputSchema: { type: "object", properties: { host: { type: "string" } }, required: ["host"] },
  requires: { net: { hosts: ["*"] } },
  effects: ({ host }) => [effects.fetch(host)],
  execute: ({ host }) => `a page of ${host}`,
});

// In your program: `findAgents({ project: ".", trust })` of @toolkeep/node/agents reads .toolkeep/agents/*.md.
const researcher: AgentDefinition = {
  name: "researcher",
  description: "Finds out what is on the web.",
  instructions: "You are the researcher.",
  tools: ["fetch_page"],
  // It can be stricter than its parent. This allows it nothing that its parent may not do.
  policy: ["allow net.fetch *", "deny net.fetch forum.example"],
};

await using agent = await createAgent({
  model: scripted(),
  tools: [...standardTools(), fetchPage],
  policy: ["allow net.fetch docs.example", "ask net.fetch *.example", "deny net.fetch secret.example"],
  agents: [researcher],
  approver: async ({ agents, effects: [effect] }) => {
    console.log(`${agents.join(" > ")} asks for ${effect?.target}`);
    return { verdict: "once" };
  },
});

for await (const event of agent.run("What do the pages say?")) {
  if (event.type === "call-update") show(event.update);
  if (event.type === "end") console.log(`${event.reason}: ${event.text}`);
}

/** The events of a subagent are updates of the call that gave it the work. */
function show(update: unknown): void {
  const { agent: name, event } = update as {
    agent: string;
    event: { type: string; calls?: { name: string }[] };
  };
  if (event.type === "step-end" && event.calls?.length !== 0)
    console.log(`${name} calls ${event.calls?.length} tools`);
}

/** A model that plays both parts. In your program: model: "anthropic/claude-sonnet-4-5". */
function scripted() {
  return new MockLanguageModelV4({
    doStream: async ({ prompt }) => {
      const isResearcher = JSON.stringify(prompt).includes("You are the researcher.");
      const isFirst = !prompt.some(({ role }) => role === "assistant");
      const hosts = ["docs.example", "blog.example", "forum.example", "secret.example"];
      if (isResearcher && isFirst) return reply(...hosts.map((host) => call(host, "fetch_page", { host })));
      if (isResearcher) return reply(`I could read ${read(prompt)} of ${hosts.length} pages.`);
      if (isFirst)
        return reply(call("1", "task", { prompt: "Read the pages.", subagent_type: "researcher" }));
      return reply("The researcher has read what it may read.");
    },
  });
}

function read(prompt: unknown): number {
  return [...JSON.stringify(prompt).matchAll(/a page of/g)].length;
}

function call(toolCallId: string, toolName: string, input: object) {
  return { type: "tool-call", toolCallId, toolName, input: JSON.stringify(input) };
}

function reply(...parts: readonly (string | object)[]) {
  const content = parts.flatMap((part) =>
    typeof part === "string"
      ? [
          { type: "text-start", id: "1" },
          { type: "text-delta", id: "1", delta: part },
          { type: "text-end", id: "1" },
        ]
      : [part],
  );
  const end = { type: "finish", finishReason: {}, usage: { inputTokens: {}, outputTokens: {} } };
  return {
    stream: convertArrayToReadableStream([
      { type: "stream-start", warnings: [] },
      ...content,
      end,
    ] as never[]),
  };
}
