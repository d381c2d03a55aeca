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
  /** What the package exports to make a provider. */
  readonly factory: string;
  /** Where a server of one's own listens. */
  readonly baseUrl?: string;
}

/** A function of a provider's package: it makes the provider, which gives models by name. */
type ProviderFactory = (settings: object) => (name: string) => LanguageModel;

const COMPATIBLE: NamedProvider = {
  package: "@ai-sdk/openai-compatible",
  factory: "createOpenAICompatible",
};

/** Keys and addresses come from the environment, as the packages of the providers read them. */
const PROVIDERS: Readonly<Record<string, NamedProvider>> = {
  anthropic: { package: "@ai-sdk/anthropic", factory: "createAnthropic" },
  openai: { package: "@ai-sdk/openai", factory: "createOpenAI" },
  google: { package: "@ai-sdk/google", factory: "createGoogleGenerativeAI" },
  ollama: { ...COMPATIBLE, baseUrl: "http://localhost:11434/v1" },
  lmstudio: { ...COMPATIBLE, baseUrl: "http://localhost:1234/v1" },
  vllm: { ...COMPATIBLE, baseUrl: "http://localhost:8000/v1" },
};

/**
 * The model of the AI SDK that a host application means. The package of its provider is loaded here, so that only those
 * who use it install it.
 * @throws ToolkeepError `invalid_option` for a name that is none, and for a package that is not installed.
 */
export async function loadModel(model: AgentModel): Promise<LanguageModel> {
  if (typeof model !== "string") {
    if (!isCompatible(model)) return model;
    return providedModel({ ...COMPATIBLE, baseUrl: model.baseUrl }, model, `The model at ${model.baseUrl}`);
  }
  const slash = model.indexOf("/");
  const [provider, name] = [model.slice(0, Math.max(slash, 0)), model.slice(slash + 1)];
  const known = Object.hasOwn(PROVIDERS, provider) ? PROVIDERS[provider] : undefined;
  if (known === undefined || name === "") throw invalidOption(unknownModel(model));
  return providedModel(known, { name }, `The model ${JSON.stringify(model)}`);
}

/** The models of an agent, in the order in which they are asked. @throws ToolkeepError `invalid_option`. */
export async function loadModels(
  given: AgentModel | readonly AgentModel[],
): Promise<readonly LanguageModel[]> {
  const models = Array.isArray(given) ? (given as readonly AgentModel[]) : [given as AgentModel];
  if (models.length === 0) throw invalidOption("The list `model` must name at least one model.");
  return Promise.all(models.map(loadModel));
}

async function providedModel(
  { package: provider, factory, baseUrl }: NamedProvider,
  { name, apiKey }: Pick<CompatibleModel, "name" | "apiKey">,
  what: string,
): Promise<LanguageModel> {
  const exported = await optionalPackage(provider, what);
  const key = apiKey === undefined ? {} : { apiKey };
  const server =
    baseUrl === undefined ? {} : { name: "compatible", baseURL: baseUrl, includeUsage: true, ...key };
  return (exported[factory] as ProviderFactory)(server)(name);
}

/**
 * What an optional package exports. Bundlers leave this import as it is, since an application that uses another provider
 * need not have the package. A bundle finds it in the folder `node_modules` where it runs.
 */
export async function optionalPackage(
  name: string,
  what: string,
): Promise<Readonly<Record<string, unknown>>> {
  try {
    return await import(/* webpackIgnore: true */ /* turbopackIgnore: true */ /* @vite-ignore */ name);
  } catch (error) {
    const message = `${what} needs the package ${name}, which could not be loaded. Install it: npm install ${name}. In a bundle that runs without node_modules, give the model of that package itself as \`model\`.`;
    throw invalidOption(message, { cause: error });
  }
}

function isCompatible(model: object): model is CompatibleModel {
  return "baseUrl" in model;
}

function unknownModel(model: string): string {
  const names = Object.keys(PROVIDERS).join(", ");
  return `Unknown model ${JSON.stringify(model)}. Write "provider/model" with one of these providers: ${names}. For another OpenAI-compatible server give { name, baseUrl }; for another provider give its model of the AI SDK.`;
}
