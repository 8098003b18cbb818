import { expect, test } from "vitest";
import { Counts } from "./counts.ts";

test.each(["{}", "[1]", "[[1]]", '[["1",1]]'])("stored lines that are %s are not counted", async (counts) => {
  await expect(new Counts().add([{ id: null, counts, isFolded: 0 }], "quantity")).rejects.toThrow(TypeError);
});
