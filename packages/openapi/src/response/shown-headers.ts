/** The headers that tell the caller how to continue. */
export const SHOWN_HEADERS = [
  "content-type",
  "etag",
  "last-modified",
  "link",
  "location",
  "retry-after",
  "x-next-page",
  "x-ratelimit-remaining",
  "x-request-id",
  "x-total-count",
] as const;
