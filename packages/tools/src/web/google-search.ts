import {
  entriesAt,
  type SearchProvider,
  type SearchProviderOptions,
  searchKey,
  withParameters,
} from "./search-provider.ts";

/** Options of `googleSearch`. */
export interface GoogleSearchOptions extends SearchProviderOptions {
  /** The id of the search engine (`cx`), which is not a secret. */
  readonly engine: string;
}

const MOST_RESULTS = 10;

/** Google Custom Search. Reads its key from the environment variable `GOOGLE_SEARCH_API_KEY` unless one is given. */
export function googleSearch(options: GoogleSearchOptions): SearchProvider {
  const { url = "https://customsearch.googleapis.com/customsearch/v1", engine } = options;
  return {
    name: "google",
    url,
    key: searchKey(options, "GOOGLE_SEARCH_API_KEY"),
    request: ({ query, maxResults }, key) => ({
      url: withParameters(url, { key, cx: engine, q: query, num: Math.min(maxResults, MOST_RESULTS) }),
    }),
    read: (answer) =>
      entriesAt(answer, "items").map(({ title, link, snippet }) => ({ title, url: link, snippet })),
  };
}
