import { type Reading, readCommand } from "@toolkeep/catalog";

const readings = new WeakMap<readonly string[], Reading | undefined>();

/** What a command does by the catalogue, as the program of a name. Rules ask for each of its words, and many of them do. */
export function readOnce(argv: readonly string[], name: string): Reading | undefined {
  if (readings.has(argv)) return readings.get(argv);
  const reading = readCommand([name, ...argv.slice(1)]);
  readings.set(argv, reading);
  return reading;
}
