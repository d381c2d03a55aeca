/** A language server on Node that does what the file it is shown tells it to, and says what it was sent. */
export const SCRIPTED_SERVER = `#!/usr/bin/env node
const seen = [];
const answers = {};
const texts = {};
function send(message) {
  const body = JSON.stringify({ jsonrpc: "2.0", ...message });
  process.stdout.write("Content-Length: " + Buffer.byteLength(body) + "\\r\\n\\r\\n" + body);
}
function take({ id, method, params, result, error }) {
  if (method === undefined) return void (answers[id] = error ?? result);
  seen.push(method);
  if (method === "initialized") {
    const items = [{ section: "bashIde" }, { section: "other" }];
    send({ id: "configuration", method: "workspace/configuration", params: { items } });
    send({ id: "edit", method: "workspace/applyEdit", params: { edit: {} } });
    send({ id: "message", method: "window/showMessageRequest", params: { message: "?", actions: [{ title: "Yes" }] } });
    send({ id: "register", method: "client/registerCapability", params: { registrations: [] } });
  }
  const { uri = "" } = params?.textDocument ?? {};
  const text = params?.textDocument?.text ?? params?.contentChanges?.[0]?.text ?? texts[uri] ?? "";
  texts[uri] = text;
  if (id === undefined) return;
  if (method === "initialize") return send({ id, result: { capabilities: {} } });
  if (text.includes("hang")) return;
  if (text.includes("die")) process.exit(3);
  if (text.includes("flood")) return flood();
  if (text.includes("error")) return send({ id, error: { code: -32603, message: "no \\u001b[2J such thing" } });
  const elsewhere = { uri: "file:///etc/hostname", range: { start: { line: 0, character: 0 } } };
  if (method === "textDocument/definition") return send({ id, result: [elsewhere] });
  if (method === "textDocument/references")
    return send({ id, result: Array.from({ length: 1000 }, () => ({ ...elsewhere, uri: params.textDocument.uri })) });
  send({ id, result: { contents: JSON.stringify({ seen, answers, start: performance.timeOrigin }) } });
}
function flood() {
  const body = JSON.stringify({ jsonrpc: "2.0", method: "window/logMessage", params: { message: "x".repeat(65536) } });
  const message = "Content-Length: " + body.length + "\\r\\n\\r\\n" + body;
  process.stdout.write(message, () => flood());
}
let input = Buffer.alloc(0);
process.stdin.on("data", (chunk) => {
  input = Buffer.concat([input, chunk]);
  for (;;) {
    const head = input.indexOf("\\r\\n\\r\\n");
    const length = Number(/Content-Length: (\\d+)/.exec(input.toString("latin1", 0, head))?.[1]);
    if (head < 0 || input.length < head + 4 + length) return;
    const message = JSON.parse(input.toString("utf8", head + 4, head + 4 + length));
    input = input.subarray(head + 4 + length);
    take(message);
  }
});
process.stdin.on("end", () => process.exit());
`;
