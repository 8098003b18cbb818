import { setTimeout as delay } from "node:timers/promises";
import { randomUUID } from "node:crypto";
import { expect, onTestFinished, test, vi } from "vitest";
import { cover, field, image } from "./http/requests.ts";
import { gatewayWith } from "./kit/limited-gateway.fixture.ts";
import { freeze } from "./kit/programs.ts";
import { sendForm } from "./kit/sales.ts";
import { startSystemWithServers } from "./kit/system.ts";

/* Albums are posted to the first gateway. The second, which remembers only its own, must find them too. */

// A busy writer needs longer than the 3 s after which a lookup of an event that is not stored gets 503.
const gatewayMain = gatewayWith({ foundWithinMs: 10_000 });
const system = await startSystemWithServers({}, { instances: { gateway: 2 }, gatewayMain });

const ask = (gateway: number, path: string, method = "GET") => fetch(`${system.urls[gateway]}${path}`, { method });

async function newAlbum(title: string, headers: Record<string, string> = {}): Promise<string> {
  const profile = field("profile", JSON.stringify({ artist: "A", title, year: "2000" }));
  const response = await sendForm(`${system.urls[0]}/albums`, [cover, profile], headers);
  expect(response.status).toBe(200);
  return JSON.parse(await response.text()).albumID;
}

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

/** Posts albums, 20 at a time, and reads each at both gateways as soon as it has its response. */
async function postAndAsk(albums: number, headers: () => Record<string, string> = () => ({})) {
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

/** The lookups of a gateway by where they found the album. */
async function foundAt(gateway: number): Promise<Record<string, number>> {
  await delay(150); // /metrics keeps its text for 100 ms
  const text = await (await fetch(`${system.operatorUrls[gateway]}/metrics`)).text();
  const lines = text.matchAll(/^tally_gateway_found_total\{domain="albums",where="(\w+)"\} (\d+)$/gm);
  return Object.fromEntries(Array.from(lines, ([, where = "", count]) => [where, Number(count)]));
}

test("an album that the replica has is read there, not from the primary", async () => {
  const albumId = await newAlbum("settled");
  // Until the first rankings are built.
  await expect.poll(async () => (await ask(1, `/review/${albumId}`)).status).toBe(200);
  await vi.waitFor(async () => {
    const before = await foundAt(1);
    expect((await ask(1, `/albums/${albumId}`)).status).toBe(200);
    expect((await foundAt(1))["read"]).toBe((before["read"] ?? 0) + 1);
  }, 30_000);
  const before = await foundAt(1);
  for (let n = 0; n < 50; n++) expect((await ask(1, `/albums/${albumId}`)).status).toBe(200);
  expect(await foundAt(1)).toEqual({ ...before, read: (before["read"] ?? 0) + 50 });
});

test("while replication is stopped, albums are found right after their POST, in memory or at the primary", async () => {
  await system.services.operator.replicaSql("STOP REPLICA SQL_THREAD");
  const before = await foundAt(1);
  const [albumId = ""] = await postAndAsk(100);
  await expectFound(1, albumId, "title 0");
  const after = await foundAt(1);
  expect(after["read"]).toBe(before["read"]);
  expect(after["write"]).toBeGreaterThan(before["write"] ?? 0);
  expect(Object.keys(await foundAt(0))).toEqual(["memory"]);
  await system.services.operator.replicaSql("START REPLICA SQL_THREAD");
});

test("while the writer is frozen one gateway knows the album; the other responds with 503, never 404", async () => {
  await freeze(system.writer);
  const albumId = await newAlbum("frozen");
  await expectFound(0, albumId, "frozen");
  const late = await ask(1, `/albums/${albumId}`);
  expect([late.status, late.headers.get("retry-after")]).toEqual([503, "1"]);
  expect(await late.json()).toEqual({ msg: expect.stringMatching(/^cannot be read yet/) });

  const keyed = await newAlbum("keyed", { "idempotency-key": randomUUID() });
  const waiting = [expectFound(1, albumId, "frozen"), expectFound(1, keyed, "keyed")];
  system.writer.kill("SIGCONT");
  await Promise.all(waiting);
});

test("while the replica is down a new album is found", async () => {
  const replica = system.server("database-replica");
  await replica.stop();
  onTestFinished(() => replica.start());
  const albumId = await newAlbum("without a replica");
  await vi.waitFor(() => expectFound(1, albumId, "without a replica"), 30_000);
});
