import { existsSync } from "node:fs";
import { randomUUID } from "node:crypto";
import { symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { connectPublisher } from "@tally/broker";
import { queuesOf } from "@tally/contract";
import { dropTestDatabase, recreateTestDatabase } from "@tally/database/own-database";
import { domains } from "@tally/domains";
import { eventState } from "@tally/bench/kit";
import { openTcpProxy, type TcpProxy } from "@tally/local";
import { expect, onTestFinished, test, vi } from "vitest";
import { silentLog } from "@tally/runtime";
import { entry, picture } from "./http/requests.ts";
import { listen, temporaryDirectory } from "@tally/local/at-end";
import { freeze } from "./kit/programs.ts";
import { sold } from "./kit/sales.ts";
import { openRedis, startSystem } from "./kit/system.ts";
import { expectEnd, runTally, startTally, tallyJson, withoutProgress } from "./kit/tally.ts";

const system = await startSystem();
const folder = await temporaryDirectory();
const unverified = "mysql://u:p@127.0.0.1:9/x?ssl-mode=REQUIRED";
const nowhere = "http://127.0.0.1:9";
const id = "0190a1b2-c3d4-7e5f-8a9b-0123456789ab";
const sale = ["send", "purchases", "--storeID", "12", "--custID", "1", "--date", "20261120", "--items", "4242:3 7:1"];

test("send prints the id of an event of any domain, and waits until it is ranked", async () => {
  const { exitCode, output, errors } = await runTally(system, [...sale, "--wait"]);
  expect({ exitCode, errors: withoutProgress(errors) }).toEqual({ exitCode: 0, errors: "" });
  expect(output).toMatch(/^[0-9a-f-]{36} ranked\n$/);
  const image = join(folder, "cover.png");
  await writeFile(image, picture("png", 100));
  const parts = ["--part", `image=@${image}`, 'profile={"artist":"A","title":"T","year":"2000"}'];
  for (const args of [
    ["steps", "--userID", "5", "--day", "3", "--timeInterval", "7", "--stepCount", "400"],
    ["liftrides", "--resortID", "silverMt", "--dayID", "1", "--skierID", "2", "--time", "408", "--liftID", "27"],
    ["swipes", "--leftorright", "right", "--swiper", "1", "--swipee", "2"],
    ["albums", ...parts],
  ])
    expect(await tallyJson(system, "send", ...args, "--wait")).toMatchObject({ domain: args[0], ranked: true });
});

test("send takes back a sale that it names by store and key, and reports at once what is rejected", async () => {
  const { eventID } = await tallyJson(system, ...sale, "--key", "to-void", "--wait");
  const named = ["--sale", JSON.stringify({ storeID: 12, idempotencyKey: "to-void" })];
  const items = JSON.stringify([{ line: 0, ItemID: 4242, numberOfItems: 4 }]);
  const refund = ["refunds", ...named, "--storeID", "12", "--date", "20261121", "--items", items];
  const reason = "line 0: 3 were sold and 0 taken back, so not 4 more";
  const rejected = `^[0-9a-f-]{36} rejected: ${reason}\n$`;
  expectEnd(await runTally(system, ["send", ...refund, "--wait", "60"]), 1, rejected);
  expect(await tallyJson(system, "send", "voids", ...named, "--reason", "mistyped", "--wait")).toMatchObject({
    status: 201,
    ranked: true,
  });
  // The replica may lack it yet.
  const shown = async () => (await fetch(`${system.url}/purchases/${eventID}`)).json();
  await vi.waitFor(
    async () => expect(await shown()).toMatchObject({ corrections: [{ kind: "void", reason: "mistyped" }] }),
    20_000,
  );
  expect(await runTally(system, ["send", "purchases", "--eventID", eventID])).toMatchObject({ exitCode: 2 });
  await tallyJson(system, "dead-letters", "discard", "--all");
});

test("send reads an event from stdin; its key, or --key instead, makes it the same event", async () => {
  const keyed = entry(13, ',"idempotencyKey":"receipt-1"');
  const steps = JSON.stringify({ userID: 5, day: 3, timeInterval: 8, stepCount: 400, idempotencyKey: "steps-1" });
  const send = async (name: string, input: string, ...flags: readonly string[]) => {
    const started = startTally(system, ["send", name, "--json", ...flags], input);
    expect([await started.ended, started.output()]).toEqual([0, expect.stringContaining("eventID")]);
    return JSON.parse(started.printed()).eventID;
  };
  const [flag, own, again, other, ...ofSteps] = await Promise.all([
    send("purchases", entry(13), "--key", "receipt-1"),
    send("purchases", keyed),
    send("purchases", keyed),
    send("purchases", keyed, "--key", "receipt-2"),
    send("steps", steps),
    send("steps", steps),
  ]);
  expect([flag, again]).toEqual([own, own]);
  expect(other).not.toBe(own);
  expect(ofSteps[0]).toBe(ofSteps[1]);
});

test("send names the key of an event that may be stored, and the id of one that was accepted", async () => {
  const again = /does not respond .*\nIt may be stored: .*, add --key [0-9a-f-]{36}\n$/;
  expectEnd(await runTally(system, [...sale, "--url", nowhere]), 3, again);
  const { url } = await listen((request, response) => {
    if (request.method === "POST") response.writeHead(201, { "tally-event-id": id }).end("{}");
    else response.destroy();
  });
  const accepted = new RegExp(`does not respond .*\\nIt was accepted with the event id ${id}\n$`);
  expectEnd(await runTally(system, [...sale, "--url", url, "--wait", "1"]), 3, accepted);
});

test("top follows no redirect, which could lose the API key, and takes no page for a ranking", async () => {
  const { url } = await listen(({ url: path }, response) =>
    response.writeHead(path === "/" ? 401 : 301, { location: "/" }).end(),
  );
  const redirected = /responds 301 without the body of a gateway\n$/;
  expectEnd(await runTally(system, ["top", "item", "4242", "--url", url]), 3, redirected);
  const page = await listen((_request, response) => response.end("<html>"));
  const isPage = /responds 200 without the body of a gateway\n$/;
  expectEnd(await runTally(system, ["top", "item", "4242", "--url", page.url]), 3, isPage);
});

test("top prints the boards of stores, items and days, and of every other domain", async () => {
  await sold(system.url, 12, { item: 4242, quantity: 5 });
  const best = async () => (await tallyJson(system, "top", "store", "12")).items[0];
  await expect.poll(best).toEqual({ rank: 1, itemID: 4242, quantity: 8 });
  const top = /^Top stores of an item, itemID 4242, by quantity, as of 2\S+Z\nRank +Store +Sold\n +1 +12 +8\n$/;
  expectEnd(await runTally(system, ["top", "item", "4242"]), 0, top);
  expect((await tallyJson(system, "top", "store", "12", "--date", "20261120")).items).toHaveLength(2);
  const range = ["--from", "20261101", "--to", "20261120", "--by", "quantity"];
  expect((await tallyJson(system, "top", "store", "12", ...range)).items).toHaveLength(2);
  expect((await runTally(system, ["top", "store", "12", "--date", "20261121"])).output).toContain("no entries");
  for (const { name: domain, views } of domains)
    for (const { name, list } of views)
      expect(await tallyJson(system, "top", `${domain}/${name}`)).toMatchObject({ [list]: expect.any(Array) });
});

test("status shows servers, queues, processes and the time to drain, and what is down", async () => {
  // On a busy machine a heartbeat may be late.
  const output = await vi.waitFor(async () => {
    const { exitCode, output: printed, errors } = await runTally(system, ["status"]);
    expect({ exitCode, errors }).toEqual({ exitCode: 0, errors: "" });
    return printed;
  }, 60_000);
  expect(output).toMatch(/^ok {2}2\S+Z {2}drained in 0 s, replica lag \d+(\.\d+)? ms, open dead letters 0\n/);
  expect(output).toMatch(/^broker up .* ms {3}databaseWrite up .* ms {3}databaseRead up .* ms {3}redis up .* ms$/m);
  expect(output).toMatch(/^writer +\S+ +\d+ +up +2 ready$/m);
  const empty = { batches: 0, held: 0, events: 0 };
  const queues = { ingest: empty, rank: empty };
  await expect
    .poll(() => tallyJson(system, "status"), { timeout: 60_000 })
    .toMatchObject({
      state: "ok",
      domains: domains.map(({ name }) => ({ name, queues, secondsToDrain: 0 })),
      secondsToDrain: 0,
    });
  const down = await runTally(system, ["status", "--json"], { DATABASE_READ_URL: "mysql://u:p@127.0.0.1:9/x" });
  expect(down).toMatchObject({ exitCode: 3, errors: "" });
  expect(JSON.parse(down.output)).toMatchObject({ state: "failing", deadLetters: { open: 0 } });
});

test("a queue with other arguments is a problem that status shows beside the rest; an audit ends at once, without a stack", async () => {
  const namespace = `${system.namespace}-other`;
  const queues = [{ name: queuesOf(namespace, "purchases").ingest.name }];
  const url = system.addresses.amqpUrl;
  const publisher = connectPublisher({ url, connectionName: "test", queues, log: silentLog });
  await publisher.ready;
  await publisher.close();
  const { exitCode, output, errors } = await runTally(system, ["status"], { NAMESPACE: namespace });
  expect({ exitCode, errors }).toEqual({ exitCode: 3, errors: "" });
  expect(output).toMatch(/^ {2}! a queue exists with other arguments: .*\n {2}! no gateway is running$/m);
  expect(output).toMatch(/^broker down .* databaseWrite up /m);
  const audit = await runTally(system, ["audit"], { NAMESPACE: namespace });
  expect(audit).toMatchObject({ exitCode: 3, errors: expect.stringMatching(/^tally: a queue exists with other arg/m) });
  expect(audit.errors).not.toMatch(/\n\s+at /);
});

test("while a batch is not ranked yet the audit compares nothing, and the output names it", async () => {
  await freeze(system.ranker);
  const event = await sold(system.url, 1, { item: 1, quantity: 2 });
  await expect.poll(() => eventState(system.url, event, 5000)).toEqual({ stored: true, ranked: false });
  const { exitCode, output, errors } = await runTally(system, ["audit", "--wait", "6"]);
  system.ranker.kill("SIGCONT");
  // Not on a terminal: a line every 5 s. A busy machine takes longer than 6 s.
  expect(errors).toMatch(/^(tally: waits, because .*\n){1,4}$/);
  expect(output).toContain("1 batches of purchases are stored and not ranked yet");
  expect(exitCode).toBe(3);
  const kept = join(folder, "kept");
  expect(await runTally(system, ["audit", "--full", "--resume", kept])).toMatchObject({ exitCode: 0 });
  // It has ended.
  expect(existsSync(kept)).toBe(false);
});

test("status --watch shows a queue that fills while the writers stand still, and exits with Ctrl-C", async () => {
  const watching = startTally(system, ["status", "--watch", "0.2", "--json"]);
  await freeze(system.writer);
  const inQueue = async () => (await tallyJson(system, "status")).domains[0].queues.ingest.batches;
  const before = await inQueue();
  for (let n = 0; n < 200; n++) await sold(system.url, 12, { item: 4242, quantity: 1 });
  await expect.poll(inQueue).toBeGreaterThan(before);
  const lines = () => watching.printed().split("\n").slice(0, -1);
  const waiting = () => lines().map((line) => JSON.parse(line).domains[0].queues.ingest.batches);
  await expect.poll(() => Math.max(...waiting())).toBeGreaterThan(before);
  // The writer's last heartbeat is recent for some seconds.
  await expect.poll(async () => (await runTally(system, ["status"])).exitCode, { timeout: 60_000 }).toBe(1);
  system.writer.kill("SIGCONT");
  await watching.stop("SIGINT");
  expect(lines().length).toBeGreaterThan(1);
});

test("a rebuild that Ctrl-C ends leaves nothing in Redis and lets others build", async () => {
  const redis = openRedis(system);
  // It stands still behind its first keys, before its first chunk.
  const held = Promise.withResolvers<void>();
  let sent = 0;
  const onRequest = (piece: Buffer) => {
    if ((sent === 0 && !piece.includes("mset")) || ++sent !== 2) return piece;
    proxy.become({ name: "frozen" });
    held.resolve();
    return piece;
  };
  const proxy: TcpProxy = await openTcpProxy(system.addresses.redisUrl, { onRequest });
  const addresses = { ...system.addresses, redisUrl: proxy.url };
  const rebuilding = startTally({ ...system, addresses }, ["rebuild", "--domain", "purchases"]);
  const shard = `${system.namespace}:{purchases:0:v2}`;
  const builder = async () => redis.get(`${shard}:builder`);
  const keysOf = async (generation: string | null) => redis.keys(`${shard}:${generation}:*`);
  await Promise.race([held.promise, rebuilding.ended.then(() => expect.fail(rebuilding.output()))]);
  const generation = await builder();
  expect(generation).not.toBeNull();
  expect(await keysOf(generation)).not.toEqual([]);
  const ended = rebuilding.stop("SIGINT");
  proxy.become({ name: "open" });
  expect(await ended).toBe(130);
  expect([await builder(), await keysOf(generation)]).toEqual([null, []]);
});

test("with --json, a command prints one JSON value", async () => {
  const file = join(folder, "one.csv");
  await writeFile(file, "storeID,custID,date,items\n1,1,20261120,5:1\n");
  const key = await tallyJson(system, "keys", "create", "--name", "t", "--scope", "*:read");
  const own = `${system.addresses.databaseWriteUrl.replace(/_test$/, "")}_new_test`;
  await recreateTestDatabase(own);
  onTestFinished(() => dropTestDatabase(own));
  const created = await runTally(system, ["migrate", "--json"], { DATABASE_WRITE_URL: own });
  expect(JSON.parse(created.output)).toMatchObject({ applied: expect.arrayContaining(["ledger/001-batches"]) });
  for (const args of [
    ["import", file],
    ["export", "--output", join(folder, "all.csv")],
    ["audit"],
    ["repair"],
    ["rebuild", "--domain", "steps"],
    ["dead-letters", "list"],
    ["dead-letters", "replay", "--all"],
    ["dead-letters", "discard", "--all"],
    ["keys", "list"],
    ["keys", "rotate", key.id],
    ["keys", "revoke", key.id],
    ["migrate"],
  ]) {
    const { exitCode, output, errors } = await runTally(system, [...args, "--json"]);
    expect({ args, exitCode, errors: withoutProgress(errors) }).toEqual({ args, exitCode: 0, errors: "" });
    expect(JSON.parse(output)).toBeTypeOf("object");
  }
});

const sales = "FILE:storeID,custID,date,items\n";
const device = join(folder, "device");
await symlink("/dev/null", device);
// Redis loads its file from the first read of rankings on.
let isLoading = false;
const failing = await openTcpProxy(system.addresses.redisUrl, {
  onRequest: (piece) => ((isLoading ||= piece.includes(":generation")), piece),
  onResponse: (piece) => (isLoading ? Buffer.from("-LOADING Redis is loading the dataset in memory\r\n") : piece),
});
test.concurrent.each([
  [["import", "/no/such/file.csv"], 2, "no such file or directory, stat '/no/such/file.csv'"],
  [
    ["import", "FILE:storeID,custID,items\n"],
    2,
    "line 1: column date: expected a calendar date as yyyymmdd, got nothing",
  ],
  [["import", `${sales}1,1,20261120,5:1\n`, "--url", nowhere, "--give-up-after", "1"], 3, "does not respond"],
  [
    ["import", "FILE:a\n", "--domain", "shoes"],
    2,
    "--domain: expected one of purchases, albums, liftrides, steps, swipes, voids, refunds, stores, items, got shoes",
  ],
  [["import", "FILE:a\n", "--domain", "stores", "--acknowledged", "x"], 2, "--acknowledged: stores are no events"],
  [["export", "albums"], 2, "albums: its events cannot be exported"],
  [["send", "steps", "--userID", "1"], 2, "tally: day: expected "],
  [
    ["send", "swipes", "--leftorright", "up", "--swiper", "1", "--swipee", "2"],
    1,
    "leftorright: expected left or right",
  ],
  [[...sale, "--url", nowhere], 3, `${nowhere} does not respond`],
  [["top", "store", "x"], 1, "storeID: "],
  [
    ["top", "store", "1", "--from", "20261120"],
    1,
    "purchases/top-items: to: expected a date beside from, got nothing\n",
  ],
  [["frobnicate"], 2, "tally: unknown command 'frobnicate'\n"],
  [
    ["import", `${sales}1,1,20261120,5:1\n`, "--acknowledged", device],
    2,
    `${device}: expected a regular file, no link or device`,
  ],
  [["export", "--output", device], 2, `${device}: expected a regular file, no link or device`],
  [["dead-letters", "list", "--since", "7"], 2, "expected a time with its offset from UTC, such as 2026-11-20T08:00Z"],
  [["dead-letters", "list", "--until", "2026-11-20T08:00"], 2, "expected a time with its offset from UTC"],
  [["audit", "--acknowledged", "/no/such/file"], 2, "no such file or directory, open '/no/such/file'"],
  [["audit", "--acknowledged", folder], 2, "tally: EISDIR: illegal operation on a directory, read\n"],
  [["audit", "--resume", `${folder}/kept`], 2, "tally: --resume needs --full"],
  [["audit", "--full", "--domain", "swipes", "--resume", folder], 2, "tally: --resume needs the domain purchases"],
  [
    ["audit", "--full", "--domain", "purchases", "--resume", `FILE:${id}\n`],
    2,
    "--resume: expected a file that an interrupted audit of this release has kept, or none",
  ],
  [["audit", "--full", "--resume", "/no/such/kept"], 2, "no such file or directory, open '/no/such/kept."],
  [["audit", "--wait", "1"], 2, "expected a number of seconds from 2 on"],
  [["audit", "--acknowledged", `FILE:${id}\nno id\n`], 2, "line 2: expected an event id, got no id"],
  [["audit"], 3, "the database's write endpoint", { DATABASE_WRITE_URL: "mysql://u:p@127.0.0.1:9/x" }],
  [["audit"], 2, 'ssl-mode: expected VERIFY_IDENTITY or DISABLED, got "REQUIRED"', { DATABASE_READ_URL: unverified }],
  [["import", sales], 2, "TALLY_URL: expected a URL without user and password", { TALLY_URL: "http://u:p@127.0.0.1" }],
  [["audit"], 3, "Redis (REDIS_URL) does not respond", { REDIS_URL: "redis://127.0.0.1:9" }],
  [["repair"], 3, "Redis (REDIS_URL) does not respond", { REDIS_URL: failing.url }],
  [["dead-letters", "discard", "x", "--all"], 2, "expected ids, or --all"],
  [["keys", "create", "--name", "x", "--scope", "sales:write"], 2, "--scope: expected one of the domains purchases, "],
  [["keys", "rotate", "0000000000000000"], 2, "there is no key 0000000000000000"],
] as const)(
  "a mistake, or a server that is down, is one line and no stack: %j",
  async (given, status, expected, more: NodeJS.ProcessEnv = {}) => {
    const args = await Promise.all(given.map(async (arg) => (arg.startsWith("FILE:") ? fileOf(arg.slice(5)) : arg)));
    const { exitCode, errors } = await runTally(system, args, more);
    expect(errors).toContain(expected);
    expect(errors).not.toMatch(/\n\s+at /);
    expect(exitCode).toBe(status);
  },
  300_000,
);

async function fileOf(text: string): Promise<string> {
  // In the folder of this file: these tests run at once, and a folder of one of them could be removed at the end of
  // another.
  const file = join(folder, `${randomUUID()}.csv`);
  await writeFile(file, text);
  return file;
}
