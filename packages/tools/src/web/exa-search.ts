import { entriesAt, type SearchProvider, type SearchProviderOptions, searchKey } from "./search-provider.ts";

const SNIPPET = { text: { maxCharacters: 500 } };

/** Exa. Reads its key from the environment variable `EXA_API_KEY` unless one is given. */
export function exaSearch(options: SearchProviderOptions = {}): SearchProvider {
  const { url = "https://api.exa.ai/search" } = options;
  return {
    name: "exa",
    url,
    key: searchKey(options, "EXA_API_KEY"),
    request: ({ query, maxResults }, key) => ({
      url,
      method: "POST",
      headers: { "content-type": "application/json", "x-api-key": key },
      body: JSON.stringify({ query, numResults: maxResults, contents: SNIPPET }),
    }),
    // Exa lists a page without a title with null.
    read: (answer) =>
      entriesAt(answer, "results").map(({ title, url: found, text }) => ({
        title: title ?? found,
        url: found,
        snippet: text ?? "",
      })),
  };
}
