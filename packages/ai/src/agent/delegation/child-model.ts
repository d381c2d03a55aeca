import type { LanguageModel } from "ai";
import { loaded, loadModel } from "../../providers/load-model.ts";
import type { AgentToolOptions } from "./agent-tool.ts";

type Model = Exclude<LanguageModel, string>;

/** The model of an agent tool: of its own or its parent's, and how much it thinks. */
export async function childModel(
  { name, model, provider, thinking }: Pick<AgentToolOptions, "name" | "model" | "provider" | "thinking">,
  parent: LanguageModel,
): Promise<Model> {
  const own = provider === undefined ? undefined : provider.languageModel(String(model));
  const chosen = (own ?? (model === undefined ? parent : await loadModel(model))) as Model;
  if (thinking === undefined) return chosen;
  const { wrapLanguageModel } = await loaded("ai", `The agent tool ${name}`, () => import("ai"));
  return wrapLanguageModel({
    model: chosen,
    middleware: {
      specificationVersion: "v4",
      transformParams: async ({ params }) => ({ ...params, reasoning: thinking }),
    },
  });
}
