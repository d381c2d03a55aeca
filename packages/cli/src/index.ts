export { runProgram } from "./program.ts";
