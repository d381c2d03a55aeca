import { entriesAt, type SearchProvider, type SearchProviderOptions, searchKey } from "./search-provider.ts";

/** Tavily. Reads its key from the environment variable `TAVILY_API_KEY` unless one is given. */
export function tavilySearch(options: SearchProviderOptions = {}): SearchProvider {
  const { url = "https://api.tavily.com/search" } = options;
  return {
    name: "tavily",
    url,
    key: searchKey(options, "TAVILY_API_KEY"),
    request: ({ query, maxResults }, key) => ({
      url,
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
      body: JSON.stringify({ query, max_results: maxResults }),
    }),
    read: (answer) =>
      entriesAt(answer, "results").map(({ title, url: found, content }) => ({
        title,
        url: found,
        snippet: content,
      })),
  };
}
