export { runProgram } from "./program.ts";
export { VERSION } from "./version.ts";
