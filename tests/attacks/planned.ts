/** Attacks of which a part can be shown here, each with what is missing for the rest. */
export const PLANNED: Readonly<Record<string, string>> = {
  D018: "a volume that ignores case, to try the port on; what follows from its answer is shown",
};
