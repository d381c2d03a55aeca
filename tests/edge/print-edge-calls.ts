import { edgeCalls } from "./edge-calls.ts";

console.log(JSON.stringify(await edgeCalls()));
