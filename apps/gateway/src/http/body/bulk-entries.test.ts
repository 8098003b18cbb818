import { describe, expect, test, vi } from "vitest";
import { BulkBody, entriesOf, inSlices, settledInSlices } from "./bulk-entries.ts";

const limits = { entriesMax: 3, entryBytesMax: 30 };
const read = (text: string, form: "array" | "lines") =>
  entriesOf(new BulkBody(Buffer.from(text), form), limits).map((entry) => {
    try {
      return entry();
    } catch (error) {
      return String(error);
    }
  });

describe("the elements of an array", () => {
  test.each([
    ['[{"a":"],[\\""},[1,[2]] ,\n"x" ]', [{ a: '],["' }, [1, [2]], "x"]],
    [" \t\r\n[1]\n ", [1]],
    ['["\\\\",2]', ["\\", 2]],
    ["[{},[],null]", [{}, [], null]],
    ['[{"a":1],2]', [expect.stringMatching(/^Error: body: expected JSON/), 2]],
    ['[{"a":1,"a":2},2]', [expect.stringMatching(/^Error: a: expected each key once/), 2]],
    [`["${"x".repeat(40)}",2]`, ["Error: body: expected at most 30 bytes, got 42", 2]],
  ])("%s", (text, entries) => {
    expect(read(text, "array")).toEqual(entries);
  });

  test.each([
    ["", /expected a JSON array, or .*, got nothing/],
    ['{"items":[]}', /expected a JSON array, or .*, got "\{/],
    ["[]", /expected 1 to 3 entries, got 0/],
    ["[ ]", /got 0/],
    ["[1,2,3,4,5]", /expected 1 to 3 entries, got 5/],
    ["[1,,2]", /no value before byte 3/],
    ["[1,]", /no value before byte 3/],
    ["[,]", /no value before byte 1/],
    ['[{"a":1]},2]', /"}.*at byte 8/],
    ["[1}", /"}.*at byte 2/],
    ["[1][2]", /more after the array, at byte 3/],
    ["[1", /an array without an end/],
    ['["]', /an array without an end/],
    ["[[1]", /an array without an end/],
    ["[".repeat(2000), /at most 1000 levels/],
  ])("%s is rejected as a whole", (text, message) => {
    expect(() => read(text, "array")).toThrow(message);
  });
});

test("lines: blank ones do not count, each is parsed by itself", () => {
  expect(read('1\r\n\n \t\n{"a":\n"x"', "lines")).toEqual([
    1,
    expect.stringMatching(/^Error: body: expected JSON/),
    "x",
  ]);
  expect(() => read("1\n2\n3\n4\n\n", "lines")).toThrow(/expected 1 to 3 entries, got 4/);
  expect(() => read("\n \n", "lines")).toThrow(/got 0/);
});

test("lines of every length around the length that is scanned by hand", () => {
  const lines = Array.from({ length: 80 }, (_, n) => `"${"x".repeat(n)}"`);
  for (const end of ["", "\n"]) {
    const body = new BulkBody(Buffer.from(lines.join("\n") + end), "lines");
    const entries = entriesOf(body, { entriesMax: 80, entryBytesMax: 100 });
    expect(entries.map((entry) => JSON.stringify(entry()))).toEqual(lines);
  }
});

test("entries are counted before any is parsed", () => {
  const parse = vi.spyOn(JSON, "parse");
  expect(() => read("1\n".repeat(500_000), "lines")).toThrow(/got 500000/);
  expect(() => read(`[${"[],".repeat(500_000)}1]`, "array")).toThrow(/got 500001/);
  expect(parse).not.toHaveBeenCalled();
  parse.mockRestore();
});

test("other work runs between visits that take long", async () => {
  let turns = 0;
  const count = setInterval(() => turns++, 0);
  const busyMs = 4;
  const visits = await inSlices(
    Array.from({ length: 30 }, (_, n) => n),
    (item, index) => {
      const ends = performance.now() + busyMs;
      while (performance.now() < ends);
      return [item, index];
    },
  );
  clearInterval(count);
  expect(visits).toEqual(Array.from({ length: 30 }, (_, n) => [n, n]));
  // 30 visits of 4 ms in slices of 10 ms.
  expect(turns).toBeGreaterThan(5);
});

test("an error is thrown when all of the work has settled", async () => {
  let settled = 0;
  const visiting = settledInSlices([0, 1, 2], async (item) => {
    if (item === 0) throw new Error("first");
    await new Promise((resolve) => setTimeout(resolve, 5));
    settled++;
  });
  await expect(visiting).rejects.toThrow("first");
  expect(settled).toBe(2);
});
