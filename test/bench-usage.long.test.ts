import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { temporaryDirectory } from "./kit/at-end.ts";
import { benchMain, runBench } from "./kit/programs.ts";

/* What the bench says when it is called in a wrong way. */

// Some start servers.
vi.setConfig({ testTimeout: 10 * 60_000 });

test.each([
  "{}",
  "[]",
  "null",
  '{"source":"S4","table":[],"runs":[]}',
  '{"design":"bare","at":"","commit":"","accepted":{},"stored":{},"ranked":{},"reads":{},"cpuUsPerEvent":{}}',
  "no JSON",
])("a file that is not a report is rejected before the run that it would be compared with: %s", async (content) => {
  const file = join(await temporaryDirectory(), "other.json");
  await writeFile(file, content);
  // Nothing listens there, which a run would report.
  expect(await runBench("--target", "http://127.0.0.1:1", "--compare", file)).toMatchObject({
    exitCode: 2,
    output: "",
    errors: `--compare: ${file} is not a report of pnpm bench\n`,
  });
});

test.each([
  [["--source", "S9"], "--source: expected one of S0, S1, "],
  [["--domain", "lifts"], "--domain: there is no domain lifts; there are: purchases"],
  [["--source", "S4", "--zipf"], "--zipf is set by the source"],
  [["--amount", "600", "--warm-up", "3"], "--warm-up cannot be combined with --amount"],
  [["--target", "http://127.0.0.1:1", "--set", "A=b"], "--set cannot be combined with --target"],
  [["compare", "bare", "--amount", "600", "--duration", "3"], "--duration cannot be combined with --amount"],
  [["--source", "S4", "--fill", "9"], "--fill is set by the source"],
  [["--target", "http://127.0.0.1:1", "--fill", "9"], "--fill cannot be combined with --target"],
  [["compare", "batched", "bare", "--fill", "9"], "--fill: the design bare stores nothing"],
  [["--scale", "0.5"], "--scale needs --source"],
  [["--duration", "0"], "--duration: expected more than 0"],
  [["--duration", "2147484"], "--duration: expected more than 0 and at most 2147483 seconds"],
  [["--duration", "3", "--rate", "0.1"], "--rate: no request is due in 3 s at 0.1 a second"],
  [["--content-bytes", "1000"], "--content-bytes: events of purchases have no content"],
  [["--domain", "albums", "--content-bytes", "15728641"], "--content-bytes: expected at most 15728640"],
  [["--domain", "albums", "--zipf"], "--zipf: the load of albums does not depend on it"],
  [["--design", "bare", "--durability", "transient"], "--durability: the design bare sends nothing to the broker"],
  [["compare", "batched", "synchronous:transient"], "--durability: the design synchronous sends nothing to the broker"],
  [["--target", "http://127.0.0.1:1/base"], "expected an address such as http://127.0.0.1:8080, without a path"],
  [["--target", "127.0.0.1:8080"], "expected an address such as http://127.0.0.1:8080, without a path"],
  [["--target", "http://127.0.0.1:1", "--design", "bare"], "--design cannot be combined with --target"],
  [["--amount", "3"], "--amount: expected at least one for each connection"],
  [["--target", "http://127.0.0.1:1"], "http://127.0.0.1:1 does not respond"],
  [["--compare", "/no/such/file"], "--compare: ENOENT"],
  [["--results", join(benchMain, "results")], "--results: ENOTDIR"],
  [["compare", "fast"], 'there is no "fast"'],
  [["compare", "bare", "batched", "bare"], '"bare" is named twice'],
  [["compare", "bare@HEAD"], '"bare@HEAD": expected batched@ and a commit'],
  [["compare", "batched@no-such-tag"], "there is no commit no-such-tag in this clone"],
  [["compare", "batched@HEAD", "--gateways", "2"], "--gateways cannot be combined with a build"],
  [["compare", "batched", "--fail-below", "0.9"], "--fail-below needs a second design or build"],
  [["--fail-below", "0.9"], "--fail-below needs --compare"],
  [["--source", "S4", "--fail-below", "0.9"], "--fail-below needs a single run"],
  [["sweep"], "expected one or two settings with several values, such as --connections 32,64,128; got none"],
  [["sweep", "--connections", "4,x"], "expected whole numbers, separated by commas"],
  [["sweep", "--connections", "4,8", "--amount", "6"], "--amount: expected at least one for each connection"],
  [["sweep", "--connections", "4,8", "--source", "S4"], "--source cannot be combined with sweep"],
  [["sweep", "--connections", "4,8", "--within", "0.2"], "--within needs --within-p99"],
  [["sweep", "--connections", "4,8", "--compare", "/no/such/file"], "--compare: ENOENT"],
  [["sweep", "--connections", "4,8", "--fail-below", "0.9"], "--fail-below needs --compare"],
  [["sweep", "--shards", "1,4", "--target", "http://127.0.0.1:1"], "--target: a running system keeps its settings"],
  [["sweep", "--connections", "4,8", "--cdf-csv", "x"], "--cdf-csv needs a single run"],
  [["sweep", "--connections", "4,8", "--requests-csv", "x"], "--requests-csv needs a single run"],
  [["--requests-csv", "x", "sources", "S4"], "--requests-csv needs a single run"],
  [["sources", "S4", "--designs", "batched,fast"], "--designs: expected batched, "],
  [["--set", "A=b", "sources", "S4"], "--set cannot be combined with sources"],
  [["--scale", "0.5", "report"], "--scale: report runs nothing"],
  [["compare", "bare", "--csv", "x"], "--csv needs a single run"],
  [["compare", "bare", "--requests-csv", "x"], "--requests-csv needs a single run"],
  [["--source", "S4", "--html", "x"], "--html needs a single run"],
  [["--requests-csv", join(benchMain, "requests.csv")], "requests.csv cannot be written: "],
  [["--csv", "x/y", "--json", "./x/../x/y"], "--csv: expected another file than that of --json, got x/y"],
  [["--source", "S4", "--csv", "x", "--cdf-csv", "x"], "--cdf-csv: expected another file than that of --csv, got x"],
  [["compare", "bare", "--compare", "x"], "--compare needs a single run"],
  [["compare", "bare", "--design", "batched"], "--design is set by compare"],
  [["compare", "bare", "--target", "http://127.0.0.1:1"], "--target cannot be combined with compare"],
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
