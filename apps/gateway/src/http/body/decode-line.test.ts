import { expect, test } from "vitest";
import { decodeLine } from "./content-encoding.ts";

/** A line whose work ends when the test calls `leave`. */
function line(limits = { atOnceMax: 4, perClientMax: 2, waitingPerClientMax: 3 }) {
  const enterLine = decodeLine(limits);
  const started: string[] = [];
  const leaves = new Map<string, () => void>();
  const gone = new Set<string>();
  const enter = (name: string): boolean =>
    enterLine({ client: name.charAt(0), isGone: () => gone.has(name) }, (leave) => {
      started.push(name);
      leaves.set(name, leave);
    });
  return { started, enter, gone, leave: (name: string) => leaves.get(name)?.() };
}

test("one client has no more than its share at once, and others start beside it", () => {
  const { started, enter, leave } = line();
  for (const name of ["a1", "a2", "a3", "b1", "c1", "c2"]) expect(enter(name)).toBe(true);
  expect(started).toEqual(["a1", "a2", "b1", "c1"]);
  leave("b1");
  expect(started.at(-1)).toBe("c2");
  leave("a1");
  expect(started.at(-1)).toBe("a3");
});

test("clients take turns, also when much work of one client waits", () => {
  const { started, enter, leave } = line({ atOnceMax: 1, perClientMax: 1, waitingPerClientMax: 10 });
  for (const name of ["a1", "a2", "a3", "a4", "b1", "c1"]) enter(name);
  for (const name of ["a1", "a2", "b1", "c1", "a3", "a4"]) {
    expect(started.at(-1)).toBe(name);
    leave(name);
  }
});

test("more than the limit of one client is rejected, and other clients are not", () => {
  const { enter } = line();
  const results = Array.from({ length: 7 }, (_, n) => enter(`a${n}`));
  expect(results).toEqual([true, true, true, true, true, false, false]);
  expect(enter("b1")).toBe(true);
});

test("work of a closed connection is dropped", () => {
  const { started, enter, leave, gone } = line({ atOnceMax: 1, perClientMax: 1, waitingPerClientMax: 10 });
  for (const name of ["a1", "a2", "a3", "a4"]) enter(name);
  gone.add("a2").add("a3");
  leave("a1");
  expect(started).toEqual(["a1", "a4"]);
});
