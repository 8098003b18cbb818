import { randomBytes, randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { startApps, startServices, type Apps, type Services } from "@tally/local";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { picture } from "./http/form.ts";

/*
 * The first gateway takes albums; the second remembers nothing and is asked for them. Servers of its own: the replica is stopped here.
 */

const root = join(import.meta.dirname, "..");
const directory = join(root, ".tally", `test-${randomBytes(4).toString("hex")}`);
const foundWithinMs = 2000;
let services: Services;
let apps: Apps;

beforeAll(async () => {
  const say = () => undefined;
  const environment = { PATH: process.env["PATH"] };
  services = await startServices({
    directory,
    database: "tally_test",
    keepData: false,
    docker: "never",
    say,
    environment,
  });
  apps = await startApps({
    root,
    directory: `${directory}-apps`,
    addresses: services.addresses,
    accounts: services.accounts,
    port: 0,
    environment: { ...environment, WRITER_THREADS: "2", HEALTH_KEPT_MS: "0", FOUND_WITHIN_MS: String(foundWithinMs) },
    instances: { gateway: 2 },
    environmentOf: (app, index) => (app === "gateway" && index === 1 ? { RECENT_BYTES_MAX: "0" } : {}),
    say,
  });
});
afterAll(async () => {
  await apps?.stop();
  await services?.stop();
  await rm(`${directory}-apps`, { recursive: true, force: true });
});

const image = picture("png", 67);
const ask = (gateway: number, path: string, method = "GET") => fetch(`${apps.urls[gateway]}${path}`, { method });

async function newAlbum(title: string, headers: Record<string, string> = {}): Promise<string> {
  const body = new FormData();
  body.set("image", new Blob([new Uint8Array(image)]), "cover.png");
  body.set("profile", JSON.stringify({ artist: "A", title, year: "2000" }));
  const answer = await fetch(`${apps.urls[0]}/albums`, { method: "POST", body, headers });
  expect(answer.status).toBe(200);
  return JSON.parse(await answer.text()).albumID;
}

/** All that may be asked about an album, at a gateway, right now. */
async function expectFound(gateway: number, albumId: string, title: string): Promise<void> {
  const [profile, bytes, counts, review] = await Promise.all([
    ask(gateway, `/albums/${albumId}`),
    ask(gateway, `/albums/${albumId}/image`),
    ask(gateway, `/review/${albumId}`),
    ask(gateway, `/review/like/${albumId}`, "POST"),
  ]);
  expect([profile.status, bytes.status, counts.status, review.status]).toEqual([200, 200, 200, 201]);
  expect(await profile.json()).toEqual({ artist: "A", title, year: "2000" });
  expect(Buffer.from(await bytes.arrayBuffer()).equals(image)).toBe(true);
  await Promise.all([counts.arrayBuffer(), review.arrayBuffer()]);
}

/** Albums, several at a time, each asked for at both gateways as soon as it is answered. */
async function postAndAsk(
  albums: number,
  headers: () => Record<string, string> = () => ({}),
): Promise<readonly string[]> {
  const ids: string[] = [];
  const clients = Array.from({ length: 20 }, async () => {
    while (ids.length < albums) {
      const title = `title ${ids.length}`;
      const albumId = await newAlbum(title, headers());
      ids.push(albumId);
      await Promise.all([expectFound(1, albumId, title), expectFound(0, albumId, title)]);
    }
  });
  await Promise.all(clients);
  return ids;
}

/** Look-ups of a gateway by where they were found. */
async function foundAt(gateway: number): Promise<Record<string, number>> {
  const text = await (await fetch(`${apps.operatorUrls[gateway]}/metrics`)).text();
  const lines = text.matchAll(/^tally_gateway_found_total\{domain="albums",where="(\w+)"\} (\d+)$/gm);
  return Object.fromEntries(Array.from(lines, ([, where = "", count]) => [where, Number(count)]));
}

test("right after its POST an album is found at both gateways: profile, picture, reviews, and it can be reviewed", async () => {
  await postAndAsk(200);
  expect(Object.keys(await foundAt(0))).toEqual(["memory"]);
  const elsewhere = Object.keys(await foundAt(1));
  expect(elsewhere.filter((where) => !["read", "write", "waited"].includes(where))).toEqual([]);
});

test("with an Idempotency-Key, whose event's id does not tell its time, too", async () => {
  await postAndAsk(60, () => ({ "idempotency-key": randomUUID() }));
});

test("what the replica has is read there, and not from the primary", async () => {
  const albumId = await newAlbum("settled");
  await vi.waitFor(async () => {
    const before = await foundAt(1);
    expect((await ask(1, `/albums/${albumId}`)).status).toBe(200);
    expect((await foundAt(1))["read"]).toBe((before["read"] ?? 0) + 1);
  }, 10_000);
  const before = await foundAt(1);
  for (let n = 0; n < 50; n++) expect((await ask(1, `/albums/${albumId}`)).status).toBe(200);
  expect(await foundAt(1)).toEqual({ ...before, read: (before["read"] ?? 0) + 50 });
});

test("while the replica stands still albums are found all the same", async () => {
  await services.operator?.replicaSql("STOP REPLICA SQL_THREAD");
  const before = await foundAt(1);
  const [albumId = ""] = await postAndAsk(100);
  await expectFound(1, albumId, "title 0");
  const after = await foundAt(1);
  expect(after["read"]).toBe(before["read"]);
  expect(after["write"]).toBeGreaterThan(before["write"] ?? 0);
  await services.operator?.replicaSql("START REPLICA SQL_THREAD");
});

test("while the writer stands still the own gateway knows the album, the other waits, then says 503 and never 404", async () => {
  apps.writer.kill("SIGSTOP");
  try {
    const albumId = await newAlbum("frozen");
    await expectFound(0, albumId, "frozen");
    const late = await ask(1, `/albums/${albumId}`);
    expect([late.status, late.headers.get("retry-after")]).toEqual([503, "1"]);
    expect(await late.json()).toEqual({ msg: expect.stringMatching(/^cannot be read yet/) });

    const keyed = await newAlbum("keyed", { "idempotency-key": randomUUID() });
    const waiting = [expectFound(1, albumId, "frozen"), expectFound(1, keyed, "keyed")];
    apps.writer.kill("SIGCONT");
    await Promise.all(waiting);
  } finally {
    apps.writer.kill("SIGCONT");
  }
});

test("many who wait are asked for together: the primary sees some statements, not some for each", async () => {
  const selects = async (): Promise<number> =>
    Number((await services.operator?.sql("SHOW GLOBAL STATUS LIKE 'Com_select'"))?.split("\t")[1]);
  apps.writer.kill("SIGSTOP");
  try {
    const albums = await Promise.all(Array.from({ length: 200 }, (_, n) => newAlbum(`title ${n}`)));
    const before = await selects();
    const statuses = await Promise.all(albums.map(async (albumId) => (await ask(1, `/albums/${albumId}`)).status));
    expect(new Set(statuses)).toEqual(new Set([503]));
    // Each was waited for so long; asked for by itself once in 100 ms it would have been 4,000 statements.
    expect((await selects()) - before).toBeLessThan(300);
  } finally {
    apps.writer.kill("SIGCONT");
  }
});

test("a replica that is away loses nobody the album that was posted just now", async () => {
  const replica = services.servers.find(({ name }) => name === "database-replica");
  await replica?.stop();
  try {
    const albumId = await newAlbum("without a replica");
    await vi.waitFor(() => expectFound(1, albumId, "without a replica"), 10_000);
  } finally {
    await replica?.start();
  }
});
