import { createServer } from "node:http";
import { json } from "node:stream/consumers";
import {
  convertToModelMessages,
  isStepCount,
  pipeUIMessageStreamToResponse,
  streamText,
  toUIMessageStream,
  type UIMessage,
} from "ai";
import { listening } from "./listening.ts";
import { model } from "./model.ts";
import { tools } from "./tools.ts";

const server = createServer(async (request, response) => {
  const { id, messages } = (await json(request)) as { id: string; messages: UIMessage[] };
  console.log(`chat ${id}`);
  const result = streamText({
    model,
    tools,
    messages: await convertToModelMessages(messages, { tools }),
    stopWhen: isStepCount(5),
  });
  await pipeUIMessageStreamToResponse({ response, stream: toUIMessageStream({ stream: result.stream }) });
});

listening(server);
