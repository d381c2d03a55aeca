/** Formats that Anthropic's strict tools know. */
export const ANTHROPIC_FORMATS = new Set([
  "date",
  "date-time",
  "duration",
  "email",
  "hostname",
  "ipv4",
  "ipv6",
  "time",
  "uri",
  "uuid",
]);
