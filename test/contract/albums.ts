import { eventIdOfKey } from "@tally/contract";
import { expect, test, vi } from "vitest";
import { expectReads } from "../http/cases.ts";
import type { RawConnection } from "../http/raw-connection.ts";
import { cover, field, file, formOf, formType, image, picture, profile, upgrade } from "../http/requests.ts";
import type { Part } from "../http/requests.ts";
import { libraries } from "./existing-clients.ts";
import { database, open, recorded, system } from "./system.ts";

/* Albums and reviews: what depends on the id of an album, on several gateways, or on many connections. */

const partBytesMax = 10 * 1024 * 1024;
const text = field("profile", profile(1));
const plain = [cover, text];
const stored = '{"artist":"A","title":"T1","year":"2000"}';

async function newAlbum(connection: RawConnection, parts: readonly Part[] = plain, ...headers: readonly string[]) {
  const response = recorded(await connection.post("/albums", formOf(parts), [formType, ...headers]));
  expect({ status: response.status, body: response.body }).toMatchObject({ status: 200 });
  return String(JSON.parse(response.body).albumID);
}
async function review(connection: RawConnection, opinion: string, albumId: string, ...headers: readonly string[]) {
  const sent = await connection.send([`POST /review/${opinion}/${albumId} HTTP/1.1`, "Host: tally", ...headers]);
  return recorded(sent);
}
const noBody = "Content-Length: 0";

test("an album gets 200 with its id and its picture's size, both as texts, and is found at once", async () => {
  const connection = open();
  const response = recorded(await connection.post("/albums", formOf(plain), [formType]));
  const albumID = response.headers.get("tally-event-id") ?? "";
  expect(JSON.parse(response.body)).toEqual({ albumID, imageSize: "67" });
  const found = await connection.get(`/albums/${albumID}`, upgrade);
  expect(found).toMatchObject({ status: 200, body: stored });
  expect(found.headers.get("content-type")).toBe("application/json; charset=utf-8");
  expect((await connection.get(`/albums/${albumID}/image`, upgrade)).bytes.equals(image)).toBe(true);
  const paths = [`/albums/${albumID}`, `/albums/${albumID}/image`, `/review/${albumID}`, "/albums/top"];
  for (const path of [...paths, `//albums/${albumID}/`, `/shop_war/albums/${albumID}`, "/albums/7"]) {
    const { status, headers } = await connection.get(path, ["Content-Type: application/json"]);
    const kept = path.endsWith("/image") ? "public, max-age=31536000, immutable" : "no-store";
    expect([path, status, headers.get("cache-control")]).toEqual([path, path === "/albums/7" ? 404 : 200, kept]);
  }
});

test.each(libraries)("S0's client on $name: an album is found right after its POST, and reviewed", async (library) => {
  const base = "/assignment-java-server_war";
  const connection = open();
  // The library writes the length of each part; the generated client writes the profile as text (contract, section 0).
  const profileText = "class AlbumsProfile {\n    artist: A\n    title: T1\n    year: 2000\n}";
  const parts: readonly Part[] = [
    { head: [...cover.head, `Content-Length: ${image.length}`], bytes: image },
    field("profile", profileText, `Content-Length: ${profileText.length}`),
  ];
  const headers = library.post.filter((line) => !line.startsWith("Content-Type"));
  const posted = recorded(await connection.post(`${base}/albums`, formOf(parts), [formType, ...headers]));
  expect(posted).toMatchObject({ status: 200, body: expect.stringMatching(/"imageSize":"67"/) });
  const { albumID } = JSON.parse(posted.body);
  expect(await connection.get(`${base}/albums/${albumID}`, library.get)).toMatchObject({ status: 200, body: stored });
  for (const opinion of ["like", "like", "dislike"]) {
    const reviewed = recorded(await connection.post(`${base}/review/${opinion}/${albumID}`, "", library.post));
    expect(reviewed).toMatchObject({ status: 201, body: "" });
  }
  await expectReads(system.url, [[`${base}/review/${albumID}`, { likes: 2, dislikes: 1 }]]);
});

test("pictures come back byte for byte with the type of their bytes, from memory and from their rows", async () => {
  const [connection, withoutMemory] = [open(), open(1)];
  for (const [kind, length, sentAs] of [
    ["png", 3475, "image/png"],
    ["jpeg", 67, "application/octet-stream"],
    ["gif", 100_000, "image/png"],
    ["webp", 700_000, "text/html"],
    ["png", partBytesMax, "image/png"],
  ] as const) {
    const sent = picture(kind, length);
    const albumId = await newAlbum(connection, [file("image", sent, sentAs), text]);
    for (const gateway of [connection, withoutMemory]) {
      await vi.waitFor(async () => {
        const { status, headers, bytes } = await gateway.get(`/albums/${albumId}/image`);
        const given = [status, headers.get("content-type"), headers.get("x-content-type-options")];
        expect(given).toEqual([200, `image/${kind}`, "nosniff"]);
        expect(bytes.equals(sent)).toBe(true);
      }, 30_000);
    }
  }
});

test("likes and dislikes are counted and ranked", async () => {
  const connection = open();
  const [one, two] = [await newAlbum(connection), await newAlbum(connection)];
  await expectReads(system.url, [[`/review/${one}`, { likes: 0, dislikes: 0 }]]);
  for (const [opinion, albumId, times] of [
    ["like", one, 4],
    ["dislike", one, 1],
    ["like", two, 5],
    ["dislike", two, 2],
  ] as const)
    for (let n = 0; n < times; n++) await review(connection, opinion, albumId, noBody);
  const likes = [
    { albumID: two, count: 5 },
    { albumID: one, count: 4 },
  ];
  await expectReads(system.url, [
    [`/review/${two}`, { likes: 5, dislikes: 2 }],
    [`/review/${one}`, { likes: 4, dislikes: 1 }],
    ["/albums/top?limit=2", { by: "likes", asOf: expect.stringMatching(/^\d{4}-/), albums: likes }],
    ["/albums/top?by=dislikes&limit=1", expect.objectContaining({ albums: [{ albumID: two, count: 2 }] })],
  ]);
});

test("a batch is bounded by its bytes: of pictures of 40 kB that arrive together each is a batch", async () => {
  const parts = [file("image", picture("gif", 40_000)), text];
  await Promise.all(Array.from({ length: 40 }, () => newAlbum(open(), parts)));
  const batches = "SELECT COUNT(*) AS events FROM albums WHERE image_size = 40000 GROUP BY producer, sequence";
  await expect.poll(() => database.writer.query(batches)).toHaveLength(40);
});

test("an Idempotency-Key makes a retry the same album, and of a review the same review", async () => {
  const connection = open();
  const key = "Idempotency-Key: cover-17";
  const ids = [await newAlbum(connection, plain, key), await newAlbum(connection, plain, key)];
  const eventId = eventIdOfKey("albums", "cover-17");
  for (const id of ids) {
    expect(id.split(".")[0]).toBe(eventId);
    expect((await connection.get(`/albums/${id}`)).status).toBe(200);
    expect((await connection.get(`/albums/${id}/image`)).status).toBe(200);
  }
  const other = await newAlbum(connection);
  // With the time in the id or without.
  for (const id of [...ids, eventId, other]) await review(connection, "like", id, noBody, "Idempotency-Key: mine");
  const liked = { likes: 1, dislikes: 0 };
  await expectReads(system.url, [
    [`/review/${other}`, liked],
    [`/review/${ids[0]}`, liked],
  ]);
  expect((await connection.get(`/albums/${eventIdOfKey("albums", "none")}`)).status).toBe(404);
});
