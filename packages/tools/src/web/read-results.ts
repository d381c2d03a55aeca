import type { SearchResult } from "./search-provider.ts";

const LONGEST = { title: 300, url: 2_048, snippet: 1_000 } as const;
const TAG = /<\/?[a-z][^<>]{0,200}>/gi;
const SPACE = /[\s\p{Cc}]+/gu;

/** The valid results, as short plain text. Omits addresses that are not http or https. */
export function readResults(
  found: readonly Partial<Record<keyof SearchResult, unknown>>[],
  most: number,
): readonly SearchResult[] {
  return found.flatMap((entry) => resultIn(entry)).slice(0, most);
}

function resultIn({
  title,
  url,
  snippet,
}: Partial<Record<keyof SearchResult, unknown>>): readonly SearchResult[] {
  if (typeof url !== "string" || url.length > LONGEST.url || !URL.canParse(url)) return [];
  const { protocol, href } = new URL(url);
  if (protocol !== "http:" && protocol !== "https:") return [];
  return [
    { title: plain(title, LONGEST.title) || href, url: href, snippet: plain(snippet, LONGEST.snippet) },
  ];
}

/** Providers mark matches with tags and entities. */
function plain(value: unknown, most: number): string {
  if (typeof value !== "string") return "";
  // Longer text could not be shown.
  const text = value.slice(0, most * 4).replaceAll(TAG, "");
  const named = text.replaceAll(
    /&(amp|lt|gt|quot|#x27|#39|nbsp);/g,
    (_, name: string) => ENTITIES[name] ?? "",
  );
  const line = named.replaceAll(SPACE, " ").trim();
  return line.length > most ? `${line.slice(0, most - 1)}…` : line;
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  "#x27": "'",
  "#39": "'",
  nbsp: " ",
};
