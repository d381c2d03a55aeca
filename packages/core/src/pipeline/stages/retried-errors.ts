/** Trying again cannot help: it is not there, it is not ours, or the tests really fail. */
export const FINAL_ERRORS = new Set([
  "not_found",
  "ENOENT",
  "out_of_scope",
  "boundary_violation",
  "tests_failed",
]);

/** What networks and busy machines do from time to time. */
export const PASSING_ERRORS = new Set([
  "EAGAIN",
  "EAI_AGAIN",
  "EBUSY",
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "UND_ERR_SOCKET",
]);
