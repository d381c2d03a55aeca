import type { NetworkRequest } from "@toolkeep/core/ports";

/** A search query. */
export interface SearchQuestion {
  readonly query: string;
  readonly maxResults: number;
}

/** A page that a search found. */
export interface SearchResult {
  readonly title: string;
  readonly url: string;
  readonly snippet: string;
}

/** Port: a service that searches the web. It makes requests and reads responses; the tool does the rest. */
export interface SearchProvider {
  readonly name: string;
  /** The URL of the service. Its host is the only one that is reached. */
  readonly url: string;
  /** The key, or the name of the environment variable that contains it; missing for a service without a key. */
  readonly key?: SearchKey;
  /** Must go to `url`, with any parameters. `key` is empty for a service without a key. */
  request(question: SearchQuestion, key: string): NetworkRequest;
  /** Reads the results from a response of any shape. The tool skips values that are not text. */
  read(answer: unknown): readonly Partial<Record<keyof SearchResult, unknown>>[];
}

/** The key of a search provider, or the name of the environment value that holds it. */
export type SearchKey = { readonly value: string } | { readonly environment: string };

/** Options that all search providers have. */
export interface SearchProviderOptions {
  /** Another URL, such as that of a proxy. */
  readonly url?: string;
  /** The key itself. Default: read from the environment with each call, which is treated as private data. */
  readonly key?: string;
  /** The name of the environment variable that contains the key. */
  readonly environment?: string;
}

/** The key from the options, or the environment variable of this name. */
export function searchKey({ key, environment }: SearchProviderOptions, name: string): SearchKey {
  return key === undefined ? { environment: environment ?? name } : { value: key };
}

/** Adds parameters to a URL. */
export function withParameters(url: string, parameters: Readonly<Record<string, string | number>>): string {
  const made = new URL(url);
  for (const [name, value] of Object.entries(parameters)) made.searchParams.set(name, String(value));
  return made.href;
}

/** The entries of a list in a response; empty if there is no such list. */
export function entriesAt(answer: unknown, ...path: readonly string[]): readonly Record<string, unknown>[] {
  const found = path.reduce<unknown>((inner, name) => (isRecord(inner) ? inner[name] : undefined), answer);
  return Array.isArray(found) ? found.filter(isRecord) : [];
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
