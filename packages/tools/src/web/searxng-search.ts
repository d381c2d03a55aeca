import { entriesAt, type SearchProvider, withParameters } from "./search-provider.ts";

export interface SearxngSearchOptions {
  /** Where the instance is searched, e.g. `https://searx.example/search`. It must give JSON. */
  readonly url: string;
}

/** An instance of SearXNG, which needs no key. One in the inner network must be named among `privateHosts`. */
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
