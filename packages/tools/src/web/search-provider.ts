import type { NetworkRequest } from "@toolkeep/core/ports";

/** What is searched for. */
export interface SearchQuestion {
  readonly query: string;
  readonly maxResults: number;
}

/** One page that a search found. */
export interface SearchResult {
  readonly title: string;
  readonly url: string;
  readonly snippet: string;
}

/** Port: one service that searches the web. It makes requests and reads answers; the tool does the rest. */
export interface SearchProvider {
  readonly name: string;
  /** Where it is asked. Its host is the only one that is reached. */
  readonly url: string;
  /** Its key, or the name of the environment value that holds it; missing for one that needs none. */
  readonly key?: SearchKey;
  /** Must go to `url`, which may get parameters. `key` is empty for a provider that needs none. */
  request(question: SearchQuestion, key: string): NetworkRequest;
  /** Picks the results out of an answer, whatever it may be. What is no text is passed over by the tool. */
  read(answer: unknown): readonly Partial<Record<keyof SearchResult, unknown>>[];
}

export type SearchKey = { readonly value: string } | { readonly environment: string };

export interface SearchProviderOptions {
  /** Another address, such as that of a proxy. */
  readonly url?: string;
  /** The key itself. Left out: it is read from the environment with each call, which counts as private data. */
  readonly key?: string;
  /** The name of the environment value that holds the key. */
  readonly environment?: string;
}

/** The key as options give it, by this name in the environment where they do not. */
export function searchKey({ key, environment }: SearchProviderOptions, name: string): SearchKey {
  return key === undefined ? { environment: environment ?? name } : { value: key };
}

/** An address with parameters, beside those it has. */
export function withParameters(url: string, parameters: Readonly<Record<string, string | number>>): string {
  const made = new URL(url);
  for (const [name, value] of Object.entries(parameters)) made.searchParams.set(name, String(value));
  return made.href;
}

/** The entries of a list somewhere in an answer; none where there is no such list. */
export function entriesAt(answer: unknown, ...path: readonly string[]): readonly Record<string, unknown>[] {
  const found = path.reduce<unknown>((inner, name) => (isRecord(inner) ? inner[name] : undefined), answer);
  return Array.isArray(found) ? found.filter(isRecord) : [];
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
