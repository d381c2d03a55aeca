import { expect, test } from "vitest";
import { plainQuestion } from "./call-context.ts";

const HIDDEN = "a\u202eb";
const SHOWN = "a<U+202E>b";

test("nothing in a question hides, down to the schema of the field that it fills in", () => {
  const field = {
    name: HIDDEN,
    isRequired: true,
    schema: {
      type: "string",
      title: HIDDEN,
      oneOf: [{ const: "x", title: HIDDEN }],
      minLength: 1,
      [HIDDEN]: null,
    },
  };
  const options = [{ label: HIDDEN, description: HIDDEN }];
  expect(plainQuestion({ question: HIDDEN, header: HIDDEN, options, multiSelect: true, field })).toEqual({
    question: SHOWN,
    header: SHOWN,
    options: [{ label: SHOWN, description: SHOWN }],
    multiSelect: true,
    field: {
      name: SHOWN,
      isRequired: true,
      schema: {
        type: "string",
        title: SHOWN,
        oneOf: [{ const: "x", title: SHOWN }],
        minLength: 1,
        [SHOWN]: null,
      },
    },
  });
});

test("what a question does not have is not added", () => {
  expect(plainQuestion({ question: "Which?" })).toEqual({ question: "Which?" });
});
