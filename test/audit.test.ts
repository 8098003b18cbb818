import { expect, test } from "vitest";
import { sold } from "./kit/sales.ts";
import { startSystem } from "./kit/system.ts";
import { audit as auditIds, runTally } from "./kit/tally.ts";

const ids: string[] = [];

const system = await startSystem();
for (let sale = 0; sale < 60; sale++) ids.push(await sold(system.url, sale % 6, { item: sale % 7 }));

const audit = (...flags: readonly string[]) => runTally(system, ["audit", ...flags]);

test("without --json the result is one sentence", async () => {
  const { exitCode, output } = await audit();
  const count = ids.length;
  expect(output).toContain(
    `acknowledged = stored = ranked: ${count} acknowledged, ${count} stored, ${count} ranked, 0 lost, 0 doubled`,
  );
  expect(exitCode).toBe(0);
});

test("an acknowledged id that is not stored is named as lost; rows that are not in the file are counted", async () => {
  const never = "0190a1b2-c3d4-7e5f-8a9b-0123456789ab";
  const { exitCode, output } = await auditIds(system, [...ids.slice(0, 50), never], "--json", "--wait", "2");
  expect(JSON.parse(output)).toMatchObject({
    agrees: false,
    notStored: [never.replaceAll("-", "")],
    audit: { acknowledged: 51, lost: 1, unacknowledged: ids.length - 50 },
  });
  expect(exitCode).toBe(1);
});

test("while a batch is not ranked yet nothing is compared, and the output names it", async () => {
  system.ranker.kill("SIGSTOP");
  ids.push(await sold(system.url, 1, { item: 1, quantity: 2 }));
  const { exitCode, output, errors } = await audit("--wait", "6");
  system.ranker.kill("SIGCONT");
  // Not on a terminal: a line every 5 s.
  expect(errors).toMatch(/^tally: waits, because .*\n$/);
  expect(output).toContain("1 batches of purchases are stored and not ranked yet");
  expect(exitCode).toBe(3);
  expect((await audit()).exitCode).toBe(0);
});

test("a line of the file that is no id is reported with its number", async () => {
  const { exitCode, errors } = await auditIds(system, [ids[3] ?? "", "no id"], "--wait", "2");
  expect(errors).toContain("acknowledged, line 2: expected an event id, got no id");
  expect(exitCode).toBe(2);
});

test.each([
  ["DATABASE_WRITE_URL", "mysql://u:p@127.0.0.1:9/x", "the database's write endpoint"],
  ["REDIS_URL", "redis://127.0.0.1:9", "Redis (REDIS_URL) does not respond"],
])("a server that does not respond is an error of one line: %s", async (variable, url, expected) => {
  const { exitCode, errors } = await runTally(system, ["audit"], { [variable]: url });
  expect(errors).toContain(expected);
  expect(errors).not.toMatch(/\n\s+at /);
  expect(exitCode).toBe(3);
});
