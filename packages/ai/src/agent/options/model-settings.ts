import { invalidOption, isRecord } from "@toolkeep/core/internal";

/** What goes with every request to the model. */
export interface ModelSettings {
  /**
   * Options of providers, by provider: `{ anthropic: { thinking: { type: "adaptive" } } }`. Each provider reads its own.
   */
  readonly providerOptions?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Default: as its provider does. */
  readonly temperature?: number;
  /** The most tokens of one reply. Default: as its provider does. */
  readonly maxOutputTokens?: number;
  /** Headers of every request, whichever model of a list it goes to. For one provider alone, give them to that provider. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** The settings among the options. @throws ToolkeepError `invalid_option`. */
export function readSettings(options: ModelSettings): ModelSettings {
  const { providerOptions, temperature, maxOutputTokens, headers } = options;
  if (temperature !== undefined && !Number.isFinite(temperature))
    throw invalidOption("The option `temperature` must be a number.");
  if (maxOutputTokens !== undefined && !(Number.isInteger(maxOutputTokens) && maxOutputTokens >= 1))
    throw invalidOption("The option `maxOutputTokens` must be a whole number of at least 1.");
  if (providerOptions !== undefined && !isRecordOf(providerOptions, isRecord))
    throw invalidOption(
      "The option `providerOptions` has the options of each provider under its name: `{ anthropic: { … } }`.",
    );
  if (headers !== undefined && !isRecordOf(headers, (value) => typeof value === "string"))
    throw invalidOption("The option `headers` must be an object of texts.");
  return {
    ...(providerOptions === undefined ? {} : { providerOptions }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(headers === undefined ? {} : { headers }),
  };
}

function isRecordOf(value: unknown, is: (value: unknown) => boolean): boolean {
  return isRecord(value) && Object.values(value).every(is);
}
