import { invalidOption } from "@toolkeep/core/internal";
import type { LanguageModel } from "ai";

/** A model at an address that speaks OpenAI's chat completions: Ollama, vLLM, LM Studio, and many others. */
interface CompatibleModel {
  /** What the server calls the model. */
  readonly name: string;
  /** For example `http://localhost:11434/v1`. */
  readonly baseUrl: string;
  /** Sent as a bearer token. Default: none. */
  readonly apiKey?: string;
}

/** A model, in the ways it can be given. */
export type AgentModel = Exclude<LanguageModel, string> | string | CompatibleModel;

interface NamedProvider {
  readonly package: string;
  load(name: string): Promise<LanguageModel>;
}

const COMPATIBLE = "@ai-sdk/openai-compatible";

/** Keys and addresses come from the environment, as the packages of the providers read them. */
const PROVIDERS: Readonly<Record<string, NamedProvider>> = {
  anthropic: {
    package: "@ai-sdk/anthropic",
    load: async (name) => (await import("@ai-sdk/anthropic")).createAnthropic()(name),
  },
  openai: {
    package: "@ai-sdk/openai",
    load: async (name) => (await import("@ai-sdk/openai")).createOpenAI()(name),
  },
  google: {
    package: "@ai-sdk/google",
    load: async (name) => (await import("@ai-sdk/google")).createGoogleGenerativeAI()(name),
  },
  ollama: local("http://localhost:11434/v1"),
  lmstudio: local("http://localhost:1234/v1"),
  vllm: local("http://localhost:8000/v1"),
};

/**
 * The model of the AI SDK that a host application means. The package of its provider is loaded here, so that only those
 * who use it install it.
 * @throws ToolkeepError `invalid_option` for a name that is none, and for a package that is not installed.
 */
export async function loadModel(model: AgentModel): Promise<LanguageModel> {
  if (typeof model !== "string") return isCompatible(model) ? compatibleModel(model) : model;
  const slash = model.indexOf("/");
  const [provider, name] = [model.slice(0, Math.max(slash, 0)), model.slice(slash + 1)];
  const known = Object.hasOwn(PROVIDERS, provider) ? PROVIDERS[provider] : undefined;
  if (known === undefined || name === "") throw invalidOption(unknownModel(model));
  return loaded(known.package, `The model ${JSON.stringify(model)}`, () => known.load(name));
}

function local(baseUrl: string): NamedProvider {
  return { package: COMPATIBLE, load: (name) => compatible({ name, baseUrl }) };
}

function compatibleModel(model: CompatibleModel): Promise<LanguageModel> {
  return loaded(COMPATIBLE, `The model at ${model.baseUrl}`, () => compatible(model));
}

async function compatible({ name, baseUrl, apiKey }: CompatibleModel): Promise<LanguageModel> {
  const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
  const key = apiKey === undefined ? {} : { apiKey };
  return createOpenAICompatible({ name: "compatible", baseURL: baseUrl, includeUsage: true, ...key })(name);
}

function isCompatible(model: object): model is CompatibleModel {
  return "baseUrl" in model;
}

/** Loads what an optional package provides, and says what to install if it is missing. */
export async function loaded<Loaded>(
  name: string,
  what: string,
  load: () => Promise<Loaded>,
): Promise<Loaded> {
  try {
    return await load();
  } catch (error) {
    if ((error as { code?: unknown } | undefined)?.code !== "ERR_MODULE_NOT_FOUND") throw error;
    const message = `${what} needs the package ${name}, which is not installed. Install it: npm install ${name}`;
    throw invalidOption(message, { cause: error });
  }
}

function unknownModel(model: string): string {
  const names = Object.keys(PROVIDERS).join(", ");
  return `Unknown model ${JSON.stringify(model)}. Write "provider/model" with one of these providers: ${names}. For another OpenAI-compatible server give { name, baseUrl }; for another provider give its model of the AI SDK.`;
}
