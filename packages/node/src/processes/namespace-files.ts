/** The files beside its streams that a sandbox with a namespace of its own finds open, by their numbers. */

/** It writes here which process is the first of the namespace. */
export const REPORT_FD = 3;
/** It reads the filter for system calls from here. */
export const FILTER_FD = 4;
