import { writeFile } from "node:fs/promises";
import { fromAiSdk } from "@toolkeep/ai";
import type { Registry } from "@toolkeep/core";
import { fsRead, fsWrite, netFetch } from "@toolkeep/core/internal";
import { tool } from "ai";
import { z } from "zod";

/** AI SDK tools of an application, and their declarations. */
const TOOLS = {
  save_note: tool({
    description: "Saves a note.",
    inputSchema: z.object({ file: z.string(), text: z.string() }),
    async execute({ file, text }) {
      await writeFile(file, text);
      return "saved";
    },
  }),
  get_page: tool({
    description: "Gets a page.",
    inputSchema: z.object({ host: z.string(), port: z.number() }),
    async execute({ port }) {
      return (await fetch(`http://127.0.0.1:${port}/`)).text();
    },
  }),
};

export async function aiSdkTools(registry: Registry): Promise<void> {
  const everywhere = ["{workspace}/**"];
  const { tools } = await fromAiSdk(TOOLS, {
    tools: {
      save_note: {
        requires: { fs: { read: everywhere, write: everywhere } },
        effects: ({ file }) => [fsRead(String(file)), fsWrite(String(file))],
      },
      get_page: { requires: { net: { hosts: ["*"] } }, effects: ({ host }) => [netFetch(String(host))] },
    },
  });
  for (const one of tools) registry.register(one, { origin: { layer: "code", source: "ai-sdk" } });
}
