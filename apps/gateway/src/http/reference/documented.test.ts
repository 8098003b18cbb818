import { Type } from "typebox";
import { expect, test } from "vitest";
import { documentedSchema } from "./documented.ts";

test("what is expected becomes the description, and literals an enum", () => {
  const schema = Type.Object(
    {
      opinion: Type.Union([Type.Literal("like"), Type.Literal("dislike")], { expected: "like or dislike" }),
      items: Type.Optional(Type.Array(Type.Refine(Type.String({ expected: "a name" }), () => true))),
    },
    { additionalProperties: false },
  );
  expect(documentedSchema(schema)).toEqual({
    type: "object",
    additionalProperties: false,
    required: ["opinion"],
    properties: {
      opinion: { type: "string", enum: ["like", "dislike"], description: "like or dislike" },
      items: { type: "array", items: { type: "string", description: "a name" } },
    },
  });
});

test("a schema is shown as it is documented, and each alternative once", () => {
  const digits = { type: "string", pattern: "^[0-9]+$" };
  const Text = Type.String({ pattern: "^[0-9]+$", documented: { anyOf: [{ type: "integer" }, digits] } });
  expect(documentedSchema(Text)).toEqual({ anyOf: [{ type: "integer" }, digits] });
  expect(documentedSchema(Type.Union([Type.Integer(), Text], { expected: "a number" }))).toEqual({
    anyOf: [{ type: "integer" }, digits],
    description: "a number",
  });
});
