/** Records with a test of their own, which is longer than one call. */
export const ELSEWHERE: Readonly<Record<string, string>> = {
  L015: "tests/file-races.test.ts",
  L016: "tests/file-races.test.ts",
};
