import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { StatusLine } from "./status-line.ts";

function on(terminal: { readonly isTTY?: boolean; readonly columns?: number }) {
  const stream = new PassThrough({ encoding: "utf8" });
  return { line: new StatusLine(Object.assign(stream, terminal)), written: (): string => String(stream.read() ?? "") };
}

test("on a terminal a state replaces the one before, and lines that stay are above it", () => {
  const { line, written } = on({ isTTY: true, columns: 10 });
  line.say("begins");
  line.show("1 s");
  line.show("2 s, and a text that is too long");
  line.say("ends");
  const erased = "\u001B[1G\u001B[2K";
  expect(written()).toBe(`begins\n1 s${erased}2 s, and ${erased}ends\n`);
  line.clear();
  expect(written()).toBe("");
});

test("elsewhere each state is a whole line", () => {
  const { line, written } = on({});
  line.show("1 s, and a text of any length whatever the width of a terminal");
  line.show("2 s");
  line.clear();
  expect(written()).toBe("1 s, and a text of any length whatever the width of a terminal\n2 s\n");
});
