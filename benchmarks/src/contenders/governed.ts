import { envelope } from "@toolkeep/core/formats";
import { serveContender } from "../contender.ts";
import { findText } from "../find-text-tool.ts";
import { assertOk, governedSession, governedTool } from "../governed-session.ts";

// The number of registered tools in addition to the one that is called.
const others = Number(process.argv[2] ?? 0);

await serveContender(async () => {
  const names = Array.from({ length: others }, (_, index) => `other_${index}`);
  const session = await governedSession([...names, findText.name].map(governedTool));
  return {
    call: (text, id) => session.call({ id, name: findText.name, arguments: text }),
    accept: (result) => envelope.result(assertOk(result)),
  };
});
