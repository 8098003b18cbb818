import { expect, test } from "vitest";
import { runDrill } from "./kit/run-drill.ts";

test("wrong usage prints one line and starts nothing", async () => {
  for (const [flags, message] of [
    [["--kinds", "no-such-kind"], '--kinds: "no-such-kind" is not one of gateway-killed, '],
    [["--domain", "cars"], '--domain: "cars" is not one of purchases, '],
    [["--faults", "many"], "expected a whole number from 1 on"],
    [
      ["--sabotage", "luck"],
      "Allowed choices are ledger, ranked-mark, early-ack, key-comparison, epochs, sale-lock, early-2xx",
    ],
  ] as const) {
    const { exitCode, errors, report } = await runDrill(...flags);
    expect(errors).toContain(message);
    expect(exitCode).toBe(2);
    expect(report).toBeUndefined();
  }
});
