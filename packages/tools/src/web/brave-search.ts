import {
  entriesAt,
  type SearchProvider,
  type SearchProviderOptions,
  searchKey,
  withParameters,
} from "./search-provider.ts";

const MOST_RESULTS = 20;

/** Brave Search. Reads its key from the environment variable `BRAVE_API_KEY` unless one is given. */
export function braveSearch(options: SearchProviderOptions = {}): SearchProvider {
  const { url = "https://api.search.brave.com/res/v1/web/search" } = options;
  return {
    name: "brave",
    url,
    key: searchKey(options, "BRAVE_API_KEY"),
    request: ({ query, maxResults }, key) => ({
      url: withParameters(url, {
        q: query,
        count: Math.min(maxResults, MOST_RESULTS),
        text_decorations: "false",
      }),
      headers: { accept: "application/json", "x-subscription-token": key },
    }),
    read: (answer) =>
      entriesAt(answer, "web", "results").map(({ title, url: found, description }) => ({
        title,
        url: found,
        snippet: description,
      })),
  };
}
