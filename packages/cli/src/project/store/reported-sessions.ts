/** The end of the id of a session that has what a client reported about the calls of a conversation. */
const REPORTED = ".outcomes";

export function reportsOf(sessionId: string): string {
  return `${sessionId}${REPORTED}`;
}

export function isOfReports(sessionId: string): boolean {
  return sessionId.endsWith(REPORTED);
}

/** The session that such a session is about. */
export function reportedSession(sessionId: string): string {
  return sessionId.slice(0, -REPORTED.length);
}

/** The tool of these sessions. Its result is the outcome. */
export const REPORT_TOOL = "client_report";
