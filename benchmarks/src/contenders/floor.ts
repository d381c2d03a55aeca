import { Ajv } from "ajv";
import { serveContender } from "../contender.ts";
import { executeFindText, type FindTextArguments, findTextSchema } from "../find-text-tool.ts";

await serveContender(() => {
  const validate = new Ajv().compile<FindTextArguments>(findTextSchema);
  return {
    async call(text) {
      const args: unknown = JSON.parse(text);
      if (!validate(args)) throw new Error("invalid arguments");
      return await executeFindText(args);
    },
  };
});
