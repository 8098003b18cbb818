import { expect, test, vi } from "vitest";
import { runBench } from "./kit/programs.ts";

/* What the bench says when it is called in a wrong way. */

// Some start servers.
vi.setConfig({ testTimeout: 10 * 60_000 });

test.each([
  [["source", "S9"], "expected one of S0, S1, "],
  [["--domain", "lifts"], "--domain: there is no domain lifts; there are: purchases"],
  [["source", "S4", "--zipf"], "unknown option '--zipf'"],
  [["--amount", "600", "--warm-up", "3"], "'--amount <number>' cannot be used with option '--warm-up <seconds>'"],
  [["--target", "http://127.0.0.1:1", "--set", "A=b"], "cannot be used with option '--set <NAME=value>'"],
  [["compare", "bare", "--amount", "600", "--duration", "3"], "cannot be used with option '--duration <seconds>'"],
  [["--target", "http://127.0.0.1:1", "--fill", "9"], "cannot be used with option '--fill <number>'"],
  [["compare", "batched", "bare", "--fill", "9"], "--fill: the design bare stores nothing"],
  [["--scale", "0.5"], "unknown option '--scale'"],
  [["--duration", "0"], "--duration: expected more than 0"],
  [["--duration", "1000001"], "--duration: expected more than 0 and at most 1000000 seconds"],
  [["--duration", "3", "--rate", "0.1"], "--rate: no request is due in 3 s at 0.1 a second"],
  [["--content-bytes", "1000"], "--content-bytes: events of purchases have no content"],
  [["--domain", "albums", "--content-bytes", "15728641"], "--content-bytes: expected at most 15728640"],
  [["--domain", "albums", "--zipf"], "--zipf: the load of albums does not depend on it"],
  [["--design", "bare", "--durability", "transient"], "--durability: the design bare sends nothing to the broker"],
  [["compare", "batched", "synchronous:transient"], "--durability: the design synchronous sends nothing to the broker"],
  [["--target", "http://127.0.0.1:1/base"], "expected an address such as http://127.0.0.1:8080, without a path"],
  [["--amount", "3"], "--amount: expected at least one for each connection"],
  [["--target", "http://127.0.0.1:1"], "http://127.0.0.1:1 does not respond"],
  [["compare", "fast"], 'there is no "fast"'],
  [["compare", "bare", "batched", "bare"], '"bare" is named twice'],
  [["compare", "bare@HEAD"], '"bare@HEAD": expected batched@ and a commit'],
  [["compare", "batched@no-such-tag"], "there is no commit no-such-tag in this clone"],
  [["compare", "batched@HEAD", "--gateways", "2"], "--gateways cannot be combined with a build"],
  [["compare", "batched", "--fail-below", "0.9"], "--fail-below needs a second design or build"],
  [["sweep"], "expected one or two settings with several values, such as --connections 32,64,128; got none"],
  [["sweep", "--connections", "4,x"], "expected whole numbers from 1 on, separated by commas"],
  [["sweep", "--connections", "4,8", "--amount", "6"], "--amount: expected at least one for each connection"],
  [["sweep", "--set", "A=1,4", "--target", "http://127.0.0.1:1"], "cannot be used with option '--set <NAME=value>'"],
  // The app reports it.
  [
    ["--set", "BATCH_EVENTS_MAX=x", "--amount", "600"],
    'BATCH_EVENTS_MAX: expected a whole number from 1 to 10000, got "x"',
  ],
])("wrong usage is reported in a line: %s", async (args, message) => {
  const { exitCode, output, errors } = await runBench(...args);
  expect(exitCode).toBe(2);
  expect(output + errors).toContain(message);
  expect(output + errors).not.toMatch(/\n {4}at /);
});
