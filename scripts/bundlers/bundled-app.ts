import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ROOT } from "../root.ts";

/** A package that has models, and how an application spells one of them. */
export interface Provider {
  readonly package: string;
  readonly model: string;
  readonly imports: string;
  /** The same model as `createAgent` takes it by its name. */
  readonly named: string;
}

const AT_COMPATIBLE = 'baseURL: String(process.env["MODEL_URL"]) + "/v1"';

export const PROVIDERS: readonly Provider[] = [
  {
    package: "@ai-sdk/anthropic",
    imports: "anthropic",
    model: 'anthropic("scripted")',
    named: '"anthropic/scripted"',
  },
  {
    package: "@ai-sdk/openai",
    imports: "openai",
    model: 'openai("scripted")',
    named: '"openai/scripted"',
  },
  {
    package: "@ai-sdk/google",
    imports: "createGoogleGenerativeAI",
    model:
      'createGoogleGenerativeAI({ apiKey: "none", baseURL: String(process.env["MODEL_URL"]) + "/v1beta" })("scripted")',
    named: '"google/scripted"',
  },
  {
    package: "@ai-sdk/openai-compatible",
    imports: "createOpenAICompatible",
    model: `createOpenAICompatible({ name: "mine", ${AT_COMPATIBLE} })("scripted")`,
    named: '{ name: "scripted", baseUrl: String(process.env["MODEL_URL"]) + "/v1" }',
  },
];

const MESSAGES = [{ id: "m1", role: "user", parts: [{ type: "text", text: "Pay A." }] }];
export const CHAT_REQUEST = JSON.stringify({ id: "chat", messages: MESSAGES });

/** The packages that the builds need, and the versions that are tried. */
export const TOOLS = ["esbuild@0.28.2", "rolldown@1.2.19", "vite@8.3.8"];
export const NEXT = [
  "next@16.4.6",
  "@ai-sdk/react@4.0.177",
  "react@19.3.1",
  "react-dom@19.3.1",
  "typescript@5.9.3",
  "@types/node@24.19.2",
  "@types/react@19.3.0",
];

/**
 * Writes the application of the README of @toolkeep/ai: its route, with a model of the first provider, its page, and a
 * route that makes an agent of a named model. `ask.ts` asks both routes, for a bundler that knows no routes.
 */
export function writeApp(folder: string, provider: Provider | undefined): void {
  const readme = readFileSync(join(ROOT, "packages/ai/README.md"), "utf8");
  const blockOf = (language: string, part: string) =>
    [...readme.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, "gm"))]
      .map(([, code = ""]) => code)
      .find((code) => code.includes(part)) ?? "";
  const files = {
    "app/api/chat/route.ts": withModel(blockOf("ts", "export async function POST"), provider),
    "app/page.tsx": blockOf("tsx", "useChat"),
    "app/layout.tsx": LAYOUT,
    "app/api/agent/route.ts": agentRoute(provider),
    "scripted-provider.ts": SCRIPTED_PROVIDER,
    "ask.ts": ASK,
    "vite.config.mjs": VITE_CONFIG,
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

/** Without a provider, the model of the README is one of a provider that plays a script. */
function withModel(route: string, provider: Provider | undefined): string {
  if (provider === undefined) return `import "../../../scripted-provider";\n${route}`;
  const line = /(?<=model: )"[^"]+"/;
  if (!line.test(route)) throw new Error("The route of the README names no model.");
  return `import { ${provider.imports} } from "${provider.package}";\n${route.replace(line, provider.model)}`;
}

function agentRoute(provider: Provider | undefined): string {
  const model = provider?.named ?? '"anthropic/scripted"';
  // Its address is no variable of the environment, so a named model of Google would be asked over the network.
  const run = `for await (const event of agent.run("Hello.")) if (event.type === "end") said = event.text ?? String(event.error);`;
  return `import { createAgent } from "@toolkeep/ai";
export async function POST(_request: Request) {
  let said = "done";
  try {
    await using agent = await createAgent({ model: ${model} });
    ${provider?.imports === "createGoogleGenerativeAI" ? "void agent;" : run}
  } catch (error) {
    said = String(error);
  }
  return new Response(\`The agent says: \${said}\`);
}
`;
}

const LAYOUT = `import type { ReactNode } from "react";
export default function Layout({ children }: { children: ReactNode }) {
  return <html lang="en"><body>{children}</body></html>;
}
`;

const ASK = `import { POST as agent } from "./app/api/agent/route";
import { POST as chat } from "./app/api/chat/route";
const asked = (body: string) => new Request("http://localhost/", { method: "POST", body });
console.log(await (await chat(asked(${JSON.stringify(CHAT_REQUEST)}))).text());
console.log(await (await agent(asked(""))).text());
`;

const SCRIPTED_PROVIDER = `const streamOf = (parts: readonly unknown[]) =>
  new ReadableStream({ start: (sink) => (parts.forEach((part) => sink.enqueue(part)), sink.close()) });
const usage = { inputTokens: {}, outputTokens: {} };
const call = { type: "tool-call", toolCallId: "call_1", toolName: "pay", input: '{"invoice":"A"}' };
const parts = [{ type: "stream-start", warnings: [] }, call, { type: "finish", finishReason: { unified: "tool-calls" }, usage }];
const languageModel = (modelId: string) => ({
  ...{ specificationVersion: "v4", provider: "scripted", modelId, supportedUrls: {} },
  doStream: async () => ({ stream: streamOf(parts) }),
});
(globalThis as Record<string, unknown>)["AI_SDK_DEFAULT_PROVIDER"] = { specificationVersion: "v4", languageModel };
`;

/** Everything into the bundle, as for an edge runtime; what Vite leaves out by default would prove nothing. */
const VITE_CONFIG = `export default {
  ssr: { noExternal: true },
  build: { ssr: "ask.ts", outDir: "out/vite", rolldownOptions: { output: { entryFileNames: "ask.mjs" } } },
};
`;
