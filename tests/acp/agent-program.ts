import { Readable, Writable } from "node:stream";
import { ndJsonStream } from "@agentclientprotocol/sdk";
import { governedAgent } from "./governed-agent.ts";

const { app } = await governedAgent(process.cwd());
app.connect(
  ndJsonStream(
    Writable.toWeb(process.stdout),
    Readable.toWeb(process.stdin) as ReadableStream<Uint8Array<ArrayBuffer>>,
  ),
);
