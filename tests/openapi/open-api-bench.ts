import type { RequestListener } from "node:http";
import { createRegistry, type SessionOptions, type ToolResult } from "@toolkeep/core";
import { type OpenApiTools, type OpenApiToolsOptions, openApiTools } from "@toolkeep/openapi";
import { environment, webBench } from "../tools/web-bench.ts";

/** A real server on loopback, and sessions on a workspace that may reach it. */
export async function openApiBench(answer: RequestListener, values: Readonly<Record<string, string>> = {}) {
  const bench = await webBench(answer, environment({ ...values }));

  async function session(set: OpenApiTools, more: SessionOptions = {}) {
    const registry = createRegistry();
    const diagnostics = set.register(registry);
    if (diagnostics.length > 0) throw new Error(JSON.stringify(diagnostics));
    return await bench.session([], { registry, limits: { retry: { attempts: 1 } }, ...more });
  }

  return {
    ...bench,
    session,
    tools: (document: object, options: Omit<OpenApiToolsOptions, "document"> = {}) =>
      openApiTools({ document, prefix: "", ...options }),
    async call(set: OpenApiTools, name: string, args: Record<string, unknown> = {}): Promise<ToolResult> {
      await using opened = await session(set);
      return await opened.call({ id: "c1", name, arguments: args });
    },
  };
}

export type OpenApiBench = Awaited<ReturnType<typeof openApiBench>>;

export function answerJson(response: Parameters<RequestListener>[1], value: unknown, status = 200): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
}
