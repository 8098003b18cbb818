import { expect, test } from "vitest";
import { isClientLimit } from "./make-report.ts";

test("the client is the limit when it is never idle, and when it is late by half of what it measures", () => {
  expect(isClientLimit({ busy: 0.5, delayP99: 5 }, 60)).toBe(false);
  expect(isClientLimit({ busy: 0.96, delayP99: 5 }, 60)).toBe(true);
  expect(isClientLimit({ busy: 0.5, delayP99: 31 }, 60)).toBe(true);
});
