/**
 * Ways from a program to the machine. Each is an expression that ends in `REACHED` if it got there; `given` has the names
 * of what was set up, `read` is source text that reads the secret file, once there is a `process`.
 */
export const WAYS: Readonly<Record<string, string>> = {
  "the global process": `globalThis.process.getBuiltinModule("fs") && reads(globalThis.process)`,
  "a variable of the environment": `globalThis.process.env.PROBE_SECRET === given.secret && REACHED`,
  "the constructor of functions": `reads(Function("return process")())`,
  "the constructor of async functions": `reads(await (async () => {}).constructor("return process")())`,
  "the constructor of generators": `reads((function* () {}).constructor("return process")().next().value)`,
  "the constructor of async generators": `reads((await (async function* () {}).constructor("return process")().next()).value)`,
  "the constructor of the one host function": `reads(console.log.constructor("return process")())`,
  "the constructor of that constructor": `reads(console.log.constructor.constructor("return process")())`,
  "its prototype": `reads(Object.getPrototypeOf(console.log).constructor("return process")())`,
  "a bound host function": `reads(console.log.bind(null).constructor("return process")())`,
  "the console object": `reads(console.constructor.constructor("return process")())`,
  "the constructor of the global object": `reads(globalThis.constructor.constructor("return process")())`,
  "indirect eval": `reads((0, eval)("process"))`,
  "Reflect.construct": `reads(Reflect.construct(Function, ["return process"])())`,
  "the functions that settle a promise": `reads(await { then(resolve) { resolve(resolve.constructor("return process")()); } })`,
  "what a promise rejects with": `reads(await Promise.reject(1).catch((error) => error.constructor.constructor("return process")()))`,
  "the error of an overflow": `reads(overflow().constructor.constructor("return process")())`,
  "the error of a host function": `reads(thrown(() => console.log({ toJSON() { throw given; }, toString: null })).constructor.constructor("return process")())`,
  "files, by import": `(await import("node:fs")).readFileSync(given.file, "utf8") === given.secret && REACHED`,
  "programs, by import": `String((await import("node:child_process")).execFileSync("/bin/cat", [given.file])) === given.secret && REACHED`,
  "threads, by import": `typeof (await import("node:worker_threads")).Worker === "function" && REACHED`,
  "a module in a file": `(await import(given.module)).default === given.secret && REACHED`,
  "a module in an address": `(await import("data:text/javascript,export default 1")).default === 1 && REACHED`,
  "a request": `(await fetch(given.url)).status === 200 && REACHED`,
  "a socket": `await new Promise((done) => { const socket = new WebSocket(given.url.replace("http", "ws")); socket.onerror = () => done(REACHED); })`,
  "timers of the host": `await new Promise((done) => setTimeout(() => done(REACHED), 1))`,
  WebAssembly: `new WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])) && REACHED`,
  "blocking the thread": `Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1) && REACHED`,
  "paths, by the stack of an error": `/file:|node:|\\.[mt]s:/.test(new Error("x").stack) && REACHED`,
  "paths, by the frames of a stack": `frames().some((frame) => /file:|node:|\\.[mt]s$/.test(frame.getFileName())) && REACHED`,
  "writing a file": `(await import("node:fs")).writeFileSync(given.written, "probe") ?? REACHED`,
  "a signal to a process": `globalThis.process.kill(given.victim, "SIGUSR1") && REACHED`,
};

/** Programs that never end, by themselves or when their value, their error or what they print is asked for. */
export const ENDLESS: readonly (readonly [name: string, code: string])[] = [
  ["a loop", "for (;;);"],
  ["a loop that catches everything", "for (;;) try { for (;;); } catch {} finally { continue; }"],
  ["a loop in a finally", "try { for (;;); } finally { for (;;); }"],
  ["an expression that backtracks", `/^(a+)+$/.test("a".repeat(50) + "b")`],
  ["a comparison in a sort", "[2, 1].sort(() => { for (;;); })"],
  ["promises that follow each other", "const next = () => Promise.resolve().then(next); next()"],
  ["an iterator without end", "[...(function* () { for (;;) yield; })()].length"],
  ["a getter of the value", "({ get x() { for (;;); } })"],
  ["toJSON of the value", "({ toJSON() { for (;;); } })"],
  ["a proxy", "new Proxy({}, { ownKeys() { for (;;); }, get() { for (;;); } })"],
  ["the message of the error", "throw { get message() { for (;;); } }"],
  ["toString of what is printed", "console.log({ toJSON() { throw 1; }, toString() { for (;;); } })"],
];

/** Programs that take more memory than they may, and return `true` where they get it. */
export const TAKING: readonly (readonly [name: string, code: string])[] = [
  ["arrays", "const held = []; while (held.length < 17_000) held.push(new Array(1_000).fill(1)); true"],
  ["buffers", "Array.from({ length: 20 }, () => new ArrayBuffer(2 ** 24)).length === 20"],
  ["shared buffers", "Array.from({ length: 20 }, () => new SharedArrayBuffer(2 ** 24)).length === 20"],
  ["one large buffer", "new Uint8Array(2 ** 29).length === 2 ** 29"],
  [
    "a growing buffer",
    "const one = new ArrayBuffer(1, { maxByteLength: 2 ** 29 }); one.resize(2 ** 29); true",
  ],
  ["a long text", `"é".repeat(2 ** 28).length === 2 ** 28`],
];

export function probeProgram(given: unknown): string {
  const ways = Object.entries(WAYS).map(([name, way]) => `${JSON.stringify(name)}: async () => ${way},`);
  return `(async () => {
const REACHED = "reached";
const given = ${JSON.stringify(given)};
const reads = (host) => host.getBuiltinModule("fs").readFileSync(given.file, "utf8") === given.secret && REACHED;
const thrown = (act) => { try { return act() ?? new Error(); } catch (error) { return error; } };
const overflow = () => thrown(() => { const deeper = () => deeper() + 1; return deeper(); });
const frames = () => { Error.prepareStackTrace = (_, found) => found; const { stack } = new Error("x"); Error.prepareStackTrace = undefined; return stack; };
const results = {};
for (const [name, way] of Object.entries({ ${ways.join("\n")} }))
  try { results[name] = String(await way()); } catch (error) { results[name] = "stopped: " + error; }
return results;
})()`;
}
