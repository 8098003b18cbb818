import { expect, test } from "vitest";
import { reasonOf } from "./errors.ts";

test.each([
  [new Error("a", { cause: new Error("b", { cause: "c" }) }), "a: b: c"],
  [new AggregateError([new Error("refused ::1"), new Error("refused 127.0.0.1")]), "refused ::1, refused 127.0.0.1"],
  [new TypeError(), "TypeError"],
  ["text", "text"],
])("a reason is the message and its causes", (error, reason) => {
  expect(reasonOf(error)).toBe(reason);
});
