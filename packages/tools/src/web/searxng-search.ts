import { entriesAt, type SearchProvider, withParameters } from "./search-provider.ts";

/** Options of `searxngSearch`. */
export interface SearxngSearchOptions {
  /** The search URL of the instance, e.g. `https://searx.example/search`. It must support JSON. */
  readonly url: string;
}

/** A SearXNG instance, which needs no key. List an instance in a private network under `privateHosts`. */
export function searxngSearch({ url }: SearxngSearchOptions): SearchProvider {
  return {
    name: "searxng",
    url,
    request: ({ query }) => ({ url: withParameters(url, { q: query, format: "json" }) }),
    read: (answer) =>
      entriesAt(answer, "results").map(({ title, url: found, content }) => ({
        title,
        url: found,
        snippet: content ?? "",
      })),
  };
}
