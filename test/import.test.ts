import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { lineOfSale, openImports } from "./kit/imports.ts";
import { startGateway } from "./kit/programs.ts";
import { runTally, tallyJson, withoutProgress } from "./kit/tally.ts";

// On a busy machine.
const { system, database, folder, idsFile, file, importFile, noteIds, expectKept, rows } = await openImports();
const head = "storeID,custID,date,items";

test("every valid line is stored once; the others are in a file with their number and their reason", async () => {
  const lines = Array.from({ length: 2500 }, (_, n) => `1,${n},20261120,${n % 90}:1 7:2`);
  lines[9] = "1,9,20260931,5:1";
  lines[1499] = "1,x,20261120,5:1";
  lines[1500] = "1,1,20261120,five";
  lines[2000] = "1,1";
  const path = await file("sales.csv", [head, ...lines]);
  const { exitCode, output, errors } = await runTally(system, ["import", path, "--acknowledged", idsFile]);
  expect({ exitCode, errors: withoutProgress(errors) }).toEqual({ exitCode: 1, errors: "" });
  expect(output).toContain(`${path}: 2496 lines accepted, 4 rejected`);
  expect(await noteIds()).toBe(2496);
  expect((await readFile(`${path}.rejected.csv`, "utf8")).trimEnd().split("\n")).toEqual([
    `line,problem,${head}`,
    expect.stringMatching(/^11,"date: expected a calendar date as yyyymmdd.*",1,9,20260931,5:1$/),
    expect.stringMatching(/^1501,"custID: expected an integer from 0 .*",1,x,20261120,5:1$/),
    expect.stringMatching(
      /^1502,"items: expected items and quantities such as 85571:3 12:1, .*got ""five""",1,1,20261120,five$/,
    ),
    `2002,"expected 4 columns, got 2",1,1`,
  ]);
});

test("the file of rejected lines can be corrected and imported", async () => {
  const path = join(folder, "sales.csv.rejected.csv");
  const corrected = (await readFile(path, "utf8"))
    .replace("1,9,20260931", "1,9,20260930")
    .replace("1,x,", "1,1499,")
    .replace(/five$/m, "5:1")
    .replace(/,1,1$/m, ",1,1,20261120,6:1");
  await writeFile(path, corrected);
  expect(await importFile(path)).toMatchObject({ lines: 4, accepted: 4, rejected: 0, rejectedFile: null });
});

test("a repeated import renames a corrected file of rejected lines, which can be imported", async () => {
  const path = await file("again.csv", [head, "5,1,20261120,5:1", "5,2,20260931,5:1"]);
  expect(await importFile(path)).toMatchObject({ rejected: 1 });
  const rejectedFile = `${path}.rejected.csv`;
  const corrected = (await readFile(rejectedFile, "utf8")).replace("5,2,20260931", "5,2,20260930");
  await writeFile(rejectedFile, corrected);
  const { renamed, rejected } = await tallyJson(system, "import", path);
  const name = expect.stringMatching(/again\.csv\.rejected\.until-\d{8}T\d{6}\.\d{3}Z\.csv$/);
  expect({ rejected, renamed }).toEqual({ rejected: 1, renamed: [name] });
  expect(await readFile(renamed[0], "utf8")).toBe(corrected);
  expect(await readFile(rejectedFile, "utf8")).toContain("5,2,20260931,5:1");
  expect(await importFile(renamed[0])).toMatchObject({ accepted: 1, rejected: 0 });
});

test("the same file under another name doubles nothing", async () => {
  await expectKept();
  const before = await rows();
  const copy = (await readFile(join(folder, "sales.csv"), "utf8")).trimEnd().split("\n");
  expect(await importFile(await file("copy.csv", copy))).toMatchObject({ accepted: 2496, rejected: 4 });
  await expectKept();
  expect(await rows()).toBe(before);
});

test("a CSV may have one item in each line, a byte order mark, quotes, and its columns in any order", async () => {
  const columns = "\uFEFFnumberOfItems,ItemID,date,custID,storeID";
  const path = await file("items.csv", [columns, '3,"85571",20261120,5,3', "1,12,20261120,5,3"]);
  expect(await importFile(path)).toMatchObject({ accepted: 2, rejected: 0 });
  // They are accepted, and perhaps not ranked yet.
  await expect
    .poll(async () => (await tallyJson(system, "top", "store", "3")).items, { timeout: 90_000 })
    .toEqual([
      { rank: 1, itemID: 85571, quantity: 3 },
      { rank: 2, itemID: 12, quantity: 1 },
    ]);
});

test("lines of JSON that hold no event are rejected one by one, and a line break within a text is none", async () => {
  const keyed = lineOfSale(4, 2, { idempotencyKey: 7 });
  const doubled = lineOfSale(4, 3).replace("{", '{"custID":9,');
  const deep = lineOfSale(4, 4).replace("{", `{"a":${"[".repeat(100_000)}${"]".repeat(100_000)},`);
  const path = await file("mixed.ndjson", [lineOfSale(4, 1), "{half", "[]", "", keyed, doubled, deep]);
  expect(await importFile(path)).toMatchObject({ lines: 6, accepted: 1, rejected: 5 });
  const rejected = (await readFile(`${path}.rejected.ndjson`, "utf8")).trimEnd().split("\n");
  expect(rejected.map((line) => JSON.parse(line))).toMatchObject([
    { line: 2, problem: expect.stringContaining("body: expected JSON, got "), text: "{half" },
    { line: 3, problem: "expected a JSON object with the fields of an event", text: "[]" },
    { line: 5, problem: "idempotencyKey: expected 1 to 255 visible ASCII characters", storeID: 4, custID: 2 },
    { line: 6, problem: 'custID: expected each key once, got "it twice"', text: doubled },
    { line: 7, problem: 'body: expected at most 64 levels, got "more"', text: deep },
  ]);
});

test("steps, lift rides and swipes are imported too; of two swipes of a pair the later line counts", async () => {
  const steps = await file("steps.csv", ["userID,day,timeInterval,stepCount", "5,3,7,400", "5,3,7,400", "5,3,99,1"]);
  expect(await importFile(steps, "--domain", "steps")).toMatchObject({ accepted: 2, rejected: 1 });
  const reason = '4,"timeInterval: expected an integer from 0 to 23, got';
  expect(await readFile(`${steps}.rejected.csv`, "utf8")).toContain(reason);
  const rides = await file("rides.csv", ["resortID,seasonID,dayID,skierID,time,liftID", "a b/c,1,1,2,408,27"]);
  expect(await importFile(rides, "--domain", "liftrides")).toMatchObject({ accepted: 1 });
  const swipes = Array.from({ length: 200 }, (_, n) =>
    JSON.stringify({ leftorright: n % 2 === 0 ? "right" : "left", swiper: n % 4 < 2 ? "1" : "3", swipee: "9" }),
  );
  const halfOfPair = JSON.stringify({ leftorright: "\ud800", swiper: "1", swipee: "9" });
  const path = await file("swipes.ndjson", [...swipes, halfOfPair]);
  expect(await importFile(path, "--domain", "swipes")).toMatchObject({ accepted: 200, rejected: 1 });
  await expectKept();
  expect(await database.writer.query("SELECT swiper, liked FROM swipe_pairs ORDER BY swiper")).toEqual([
    { swiper: 1, liked: 0 },
    { swiper: 3, liked: 0 },
  ]);
});

test("a rate limit slows an import down, a burst makes its requests smaller; each line is stored once", async () => {
  const limits = { AUTH: "off", RATE_LIMIT_PER_ADDRESS: "500", RATE_LIMIT_PER_ADDRESS_BURST: "300" };
  const { url } = await startGateway(system, limits);
  const lines = Array.from({ length: 1200 }, (_, n) => lineOfSale(6, n));
  const path = await file("limited.ndjson", lines);
  expect(await importFile(path, "--url", url)).toMatchObject({ accepted: 1200, rejected: 0 });
});

test("after all of these every acknowledged line is stored and ranked once, and no other event", () => expectKept());
