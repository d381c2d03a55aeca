import { echoServer } from "./echo-tools.ts";
import { serveOn, type Wire } from "./serve-on.ts";

const [wire, count] = process.argv.slice(2);
await serveOn(wire as Wire, () => echoServer(Number(count)));
