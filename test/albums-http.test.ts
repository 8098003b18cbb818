import { once } from "node:events";
import { connect } from "node:net";
import type { Database } from "@tally/database";
import { eventIdOfKey, newEventId } from "@tally/pipeline";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { field, file, formOf, formType, picture, type Part } from "./form.ts";
import { openDatabase } from "./rankings-equal-rows.ts";
import { RawConnection } from "./raw-http.ts";
import { runTally } from "./run-tally.ts";
import { startSystem, type TestSystem } from "./start-system.ts";

const partBytesMax = 10 * 1024 * 1024;
let system: TestSystem;
let connection: RawConnection;
let database: Database;

beforeAll(async () => {
  system = await startSystem({ BASE_PATHS: "/remoteServer_war" });
  connection = new RawConnection(system.url);
  database = openDatabase(system);
});
afterAll(async () => {
  connection.end();
  await database.close();
  await system.stop();
});

const dot = picture("png", 67);
const asJson = field("profile", '{"artist":"A","title":"T","year":"2000"}');
const classText = "class AlbumsProfile {\n    artist: A\n    title: T\n    year: 2000\n}";
const h2c = ["Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA"];

async function postForm(parts: readonly Part[], path = "/albums", headers: readonly string[] = [formType]) {
  const body = formOf(parts);
  return connection.send([`POST ${path} HTTP/1.1`, "Host: tally", ...headers, `Content-Length: ${body.length}`], body);
}
const get = (path: string, headers: readonly string[] = []) =>
  connection.send([`GET ${path} HTTP/1.1`, "Host: tally", ...headers]);
const review = (opinion: string, albumId: string, headers: readonly string[] = ["Content-Length: 0"]) =>
  connection.send([`POST /review/${opinion}/${albumId} HTTP/1.1`, "Host: tally", ...headers]);
async function newAlbum(...parts: readonly Part[]): Promise<string> {
  const answer = await postForm(parts.length === 0 ? [file("image", dot), asJson] : parts);
  expect({ status: answer.status, body: answer.body }).toMatchObject({ status: 200 });
  return JSON.parse(answer.body).albumID;
}
const reviewsOf = async (albumId: string) => JSON.parse((await get(`/review/${albumId}`)).body);

describe("what real clients send, on one kept-alive connection", () => {
  test("an album is answered 200 with its id and its picture's size, both as texts, and is found at once", async () => {
    const answer = await postForm([file("image", dot), asJson]);
    const body = JSON.parse(answer.body);
    expect({ status: answer.status, type: answer.headers.get("content-type"), body }).toEqual({
      status: 200,
      type: "application/json; charset=utf-8",
      body: { albumID: answer.headers.get("tally-event-id"), imageSize: "67" },
    });
    const found = await get(`/albums/${body.albumID}`);
    expect({ status: found.status, type: found.headers.get("content-type"), body: found.body }).toEqual({
      status: 200,
      type: "application/json; charset=utf-8",
      body: '{"artist":"A","title":"T","year":"2000"}',
    });
  });

  test.each([
    ["as JSON", [file("image", dot), asJson]],
    [
      "as JSON that says what it is",
      [file("image", dot), field("profile", String(asJson.bytes), "Content-Type: application/json")],
    ],
    ["as the text of a generated client", [file("image", dot), field("profile", classText)]],
    ["as a file", [file("image", dot), file("profile", classText, "application/octet-stream")]],
    ["before the picture", [asJson, file("image", dot)]],
    ["with a year that is a number", [field("profile", '{"artist":"A","title":"T","year":2000}'), file("image", dot)]],
    [
      "with a picture that has no name of a file",
      [
        { head: ['Content-Disposition: form-data; name="image"', "Content-Transfer-Encoding: binary"], bytes: dot },
        asJson,
      ],
    ],
    ["with a part that nobody asked for", [file("image", dot), asJson, field("more", "x")]],
  ] as const)("a profile %s", async (_what, parts) => {
    const albumId = await newAlbum(...parts);
    expect((await get(`/albums/${albumId}`)).body).toBe('{"artist":"A","title":"T","year":"2000"}');
    expect((await get(`/albums/${albumId}/image`)).bytes.equals(dot)).toBe(true);
  });

  test("a profile in ISO 8859-1, as Java's clients send it unless they are told otherwise, keeps its letters", async () => {
    for (const encoding of ["latin1", "utf8"] as const) {
      const text = '{"artist":"Céline","title":"Ça","year":"2000"}';
      const albumId = await newAlbum(file("image", dot), { ...asJson, bytes: Buffer.from(text, encoding) });
      expect((await get(`/albums/${albumId}`)).body).toBe(text);
    }
  });

  test("pictures come back byte for byte with the type that their bytes tell, from memory and from their rows", async () => {
    const kinds = [
      ["png", 3475, "image/png"],
      ["jpeg", 67, "application/octet-stream"],
      ["gif", 100_000, "image/png"],
      ["webp", 700_000, "text/html"],
      ["png", partBytesMax, "image/png"],
    ] as const;
    const pictures: { readonly type: string; readonly sent: Buffer; readonly albumId: string }[] = [];
    for (const [kind, length, sentAs] of kinds) {
      const sent = picture(kind, length);
      pictures.push({ type: `image/${kind}`, sent, albumId: await newAlbum(file("image", sent, sentAs), asJson) });
    }
    const expectImages = async () => {
      for (const { type, sent, albumId } of pictures) {
        const { status, headers, bytes } = await get(`/albums/${albumId}/image`);
        const told = [headers.get("content-type"), headers.get("x-content-type-options")];
        expect({ status, told, same: bytes.equals(sent) }).toEqual({
          status: 200,
          told: [type, "nosniff"],
          same: true,
        });
      }
    };
    await expectImages();
    const select = "SELECT COUNT(*) AS kept FROM albums WHERE id IN (?)";
    const ids = pictures.map(({ albumId }) => bytesOf(albumId));
    const stored = async () => (await database.reader.query(select, [ids]))[0];
    await vi.waitFor(async () => expect(await stored()).toEqual({ kept: pictures.length }), 30_000);
    // A gateway that remembers nothing.
    await system.gateway.stop();
    await system.gateway.start();
    connection = new RawConnection(system.url);
    await expectImages();
  }, 60_000);

  test.each([
    ["a trailing slash", "/albums/"],
    ["double slashes", "//albums"],
    ["a base path", "/remoteServer_war/albums"],
  ])("%s leads to the same route", async (_what, path) => {
    const { albumID } = JSON.parse((await postForm([file("image", dot), asJson], path)).body);
    expect((await get(`${path.replace(/\/$/, "")}/${albumID}/`)).status).toBe(200);
  });

  test("h2c upgrade headers are answered as HTTP/1.1, and the connection is kept", async () => {
    const answer = await postForm([file("image", dot), asJson], "/albums", [formType, ...h2c]);
    expect(answer.status).toBe(200);
    const { albumID } = JSON.parse(answer.body);
    expect((await get(`/albums/${albumID}`, h2c)).status).toBe(200);
    expect((await review("like", albumID, ["Content-Length: 0", ...h2c])).status).toBe(201);
    expect((await get(`/albums/${albumID}/image`, h2c)).status).toBe(200);
  });

  test("a form in chunks, with a quoted boundary", async () => {
    const body = formOf([file("image", dot), asJson]);
    const half = Math.floor(body.length / 2);
    const chunked = [body.subarray(0, half), body.subarray(half), Buffer.alloc(0)].map((chunk) =>
      Buffer.concat([Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from("\r\n")]),
    );
    const type = formType.replace(/boundary=(.*)/, 'charset=utf-8; boundary="$1"');
    const head = ["POST /albums HTTP/1.1", "Host: tally", type, "Transfer-Encoding: chunked"];
    expect((await connection.send(head, Buffer.concat(chunked))).status).toBe(200);
  });

  test.each([
    ["no Content-Type and no body", ["Content-Length: 0"]],
    ["application/json and no body", ["Content-Type: application/json", "Content-Length: 0"]],
    ["no length at all", []],
  ])("a review with %s is 201 and empty, right after the album", async (_what, headers) => {
    const answer = await review("like", await newAlbum(), headers);
    expect({ status: answer.status, length: answer.headers.get("content-length"), body: answer.body }).toEqual({
      status: 201,
      length: "0",
      body: "",
    });
  });

  test("GETs with a Content-Type and no body are answered as usual", async () => {
    const albumId = await newAlbum();
    for (const path of [`/albums/${albumId}`, `/albums/${albumId}/image`, `/review/${albumId}`, "/albums/top"])
      expect((await get(path, ["Content-Type: application/json"])).status).toBe(200);
  });
});

test("likes and dislikes are counted and ranked, and equal the rows", async () => {
  const [one, two] = [await newAlbum(), await newAlbum()];
  expect(await reviewsOf(one)).toEqual({ likes: 0, dislikes: 0 });
  for (const [opinion, albumId, times] of [
    ["like", one, 4],
    ["dislike", one, 1],
    ["like", two, 5],
    ["dislike", two, 2],
  ] as const)
    for (let n = 0; n < times; n++) await review(opinion, albumId);
  await vi.waitFor(async () => expect(await reviewsOf(two)).toEqual({ likes: 5, dislikes: 2 }), 5000);
  expect(await reviewsOf(one)).toEqual({ likes: 4, dislikes: 1 });

  const top = async (query: string) => JSON.parse((await get(`/albums/top${query}`)).body);
  expect(await top("?limit=2")).toMatchObject({
    by: "likes",
    asOf: expect.stringMatching(/^\d{4}-/),
    albums: [
      { albumID: two, count: 5 },
      { albumID: one, count: 4 },
    ],
  });
  expect((await top("?by=dislikes&limit=1")).albums).toEqual([{ albumID: two, count: 2 }]);

  const { exitCode, output } = await runTally(system, ["audit", "--domain", "albums"]);
  expect({ exitCode, output }).toMatchObject({ exitCode: 0 });
  expect(output).toMatch(/albums: \d+ batches, \d+ events .* cells on 2 boards/);
}, 90_000);

test("a batch is bounded by its bytes as by its events: of pictures of 40 kB that come together each travels alone", async () => {
  const cover = picture("gif", 40_000);
  const posts = Array.from({ length: 40 }, async () => {
    const own = new RawConnection(system.url);
    const body = formOf([file("image", cover), asJson]);
    const { status } = await own.post("/albums", body, [formType]);
    own.end();
    return status;
  });
  expect(new Set(await Promise.all(posts))).toEqual(new Set([200]));
  const select = "SELECT COUNT(*) AS events FROM albums WHERE image_size = 40000 GROUP BY producer, sequence";
  const batches = () => database.writer.query<{ events: number }>(select);
  await vi.waitFor(async () => expect(await batches()).toHaveLength(40), 15_000);
});

test("an album that the database refuses is kept whole as a dead letter, picture and all, and can be sent again", async () => {
  const alter = (change: string) =>
    database.transaction((transaction) => transaction.execute(`ALTER TABLE albums ${change}`));
  const sent = picture("png", 3_000_000);
  await alter("ADD CONSTRAINT refuses CHECK (artist <> 'refused')");
  const albumId = await newAlbum(
    file("image", sent),
    field("profile", '{"artist":"refused","title":"T","year":"2000"}'),
  );
  const show = () => runTally(system, ["dead-letters", "show", albumId]);
  await vi.waitFor(async () => expect((await show()).output).toContain('"artist":"refused"'), {
    timeout: 15_000,
    interval: 500,
  });
  await alter("DROP CONSTRAINT refuses");
  expect((await runTally(system, ["dead-letters", "replay", albumId])).output).toContain("replayed 1 of 1");
  const select = "SELECT bytes FROM album_images WHERE album_id = ? ORDER BY part";
  const parts = () => database.writer.query<{ bytes: Buffer }>(select, [bytesOf(albumId)]);
  await vi.waitFor(async () => expect((await parts()).length).toBeGreaterThan(0), 15_000);
  expect(Buffer.concat((await parts()).map(({ bytes }) => bytes)).equals(sent)).toBe(true);
}, 60_000);

describe("an Idempotency-Key", () => {
  const keyed = [formType, "Idempotency-Key: cover-17"];

  test("makes a retry the same album: one event, one row, and every id it was given leads to it", async () => {
    const answers = [];
    for (let n = 0; n < 3; n++) answers.push(await postForm([file("image", dot), asJson], "/albums", keyed));
    expect(new Set(answers.map(({ headers }) => headers.get("tally-event-id")))).toEqual(
      new Set([eventIdOfKey("albums", "cover-17")]),
    );
    for (const { body } of answers) {
      const { albumID } = JSON.parse(body);
      expect((await get(`/albums/${albumID}`)).body).toBe('{"artist":"A","title":"T","year":"2000"}');
      expect((await get(`/albums/${albumID}/image`)).status).toBe(200);
    }
    const id = bytesOf(answers[0]?.headers.get("tally-event-id") ?? "");
    expect(await database.writer.query("SELECT id FROM albums WHERE id = ?", [id])).toHaveLength(1);
  });

  test("of a review makes a retry the same review, whichever of its album's ids is named", async () => {
    const { albumID } = JSON.parse((await postForm([file("image", dot), asJson], "/albums", keyed)).body);
    const retries = [albumID, albumID, albumID.split(".")[0]];
    for (const id of retries) await review("like", id, ["Content-Length: 0", "Idempotency-Key: mine"]);
    const other = await newAlbum();
    await review("like", other, ["Content-Length: 0", "Idempotency-Key: mine"]);
    await vi.waitFor(async () => expect(await reviewsOf(other)).toEqual({ likes: 1, dislikes: 0 }));
    expect(await reviewsOf(albumID)).toEqual({ likes: 1, dislikes: 0 });
  });
});

describe("mistakes get a clear answer {msg} that names the field", () => {
  test.each([
    ["no image", [asJson], 400, /^image: expected a part of that name, got nothing/],
    ["no profile", [file("image", dot)], 400, /^profile: expected a part/],
    ["an image twice", [file("image", dot), asJson, file("image", dot)], 400, /^body: expected each part once/],
    ["an empty image", [file("image", ""), asJson], 400, /^image: expected a PNG, JPEG, GIF or WebP/],
    ["a page as an image", [file("image", "<svg onload=alert(1)>"), asJson], 400, /^image: .*3c737667/],
    ["a profile that is neither", [file("image", dot), field("profile", "A, T, 2000")], 400, /^profile: expected JSON/],
    [
      "a profile without year",
      [file("image", dot), field("profile", '{"artist":"A","title":"T"}')],
      400,
      /^profile\.year: /,
    ],
    [
      "a profile with a list",
      [file("image", dot), field("profile", '{"artist":[],"title":"T","year":"1"}')],
      400,
      /^profile\.artist/,
    ],
    [
      "a huge profile",
      [file("image", dot), field("profile", "x".repeat(20_000))],
      400,
      /^profile: expected at most 10000/,
    ],
    [
      "an image in base64",
      [file("image", dot), { ...asJson, head: [...asJson.head, "Content-Transfer-Encoding: base64"] }],
      400,
      /^body: expected parts as they are/,
    ],
    [
      "a part without a name",
      [{ head: ["Content-Disposition: form-data"], bytes: "x" }, asJson],
      400,
      /^body: expected a name/,
    ],
    [
      "too many parts",
      Array.from({ length: 30 }, (_, n) => field(`f${n}`, "x")),
      400,
      /^body: expected at most 20 parts/,
    ],
    ["no parts", [], 400, /^image/],
    [
      "an image over the limit",
      [file("image", picture("png", partBytesMax + 1)), asJson],
      413,
      /^image: expected at most 10485760 bytes/,
    ],
  ] as const)("%s", async (_what, parts, status, msg) => {
    const answer = await postForm(parts);
    expect({ status: answer.status, type: answer.headers.get("content-type") }).toEqual({
      status,
      type: "application/json; charset=utf-8",
    });
    expect(JSON.parse(answer.body)).toEqual({ msg: expect.stringMatching(msg) });
  });

  test.each([
    ["JSON", "Content-Type: application/json", "{}", 415, /^Content-Type: expected multipart\/form-data/],
    ["no boundary", "Content-Type: multipart/form-data", "x", 400, /^Content-Type: expected .* boundary/],
    ["nothing", formType, "", 400, /^body: expected multipart/],
    ["no form at all", formType, "no form", 400, /^body: expected a whole form/],
    [
      "half a form",
      formType,
      formOf([file("image", dot), asJson]).subarray(0, 200),
      400,
      /^body: expected a whole form/,
    ],
  ])("%s instead of a form", async (_what, type, body, status, msg) => {
    const head = ["POST /albums HTTP/1.1", "Host: tally", type, `Content-Length: ${body.length}`];
    const answer = await connection.send(head, body);
    expect({ status: answer.status, ...JSON.parse(answer.body) }).toEqual({ status, msg: expect.stringMatching(msg) });
  });

  test("a body of 100 MB is refused by its length, before it is read", async () => {
    const own = new RawConnection(system.url);
    const answer = await own.send(
      ["POST /albums HTTP/1.1", "Host: tally", formType, "Content-Length: 100000000"],
      "--",
    );
    expect({ status: answer.status, ...JSON.parse(answer.body) }).toEqual({ status: 413, msg: "body: too large" });
    own.end();
  });

  test("whoever sends a picture far over the limit to its end gets the answer, and goes on upon the same connection", async () => {
    const body = formOf([file("image", picture("png", partBytesMax + 2_000_000)), asJson]);
    const chunk = Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from("\r\n0\r\n\r\n")]);
    for (let n = 0; n < 10; n++) {
      const own = new RawConnection(system.url);
      expect(await own.post("/albums", body, [formType])).toMatchObject({
        status: 413,
        body: '{"msg":"body: too large"}',
      });
      const chunked = ["POST /albums HTTP/1.1", "Host: tally", formType, "Transfer-Encoding: chunked"];
      expect((await own.send(chunked, chunk)).status).toBe(413);
      expect((await own.get("/albums/top")).status).toBe(200);
      own.end();
    }
  });

  test("forms that are announced and not sent take no room", async () => {
    // 128 MiB may be under way.
    const silent = Array.from({ length: 20 }, () => new RawConnection(system.url));
    const head = ["POST /albums HTTP/1.1", "Host: tally", formType, `Content-Length: ${partBytesMax + 65_536}`];
    for (const one of silent) expect((await one.send([...head, "Expect: 100-continue"])).status).toBe(100);
    expect((await postForm([file("image", picture("png", partBytesMax)), asJson])).status).toBe(200);
    for (const one of silent) one.end();
  });

  test("forms beyond the share of an address get 503; other addresses and small requests do not, nor does it when they have gone", async () => {
    // 64 MiB are the share: 7 forms of 10 MiB without their last 64 KiB are more.
    const head = [
      "POST /albums HTTP/1.1",
      "Host: tally",
      formType,
      `Content-Length: ${partBytesMax + 65_536}`,
      "",
      "",
    ].join("\r\n");
    const half = Buffer.concat([Buffer.from(head), Buffer.alloc(partBytesMax)]);
    const stalled = Array.from({ length: 7 }, () => new RawConnection(system.url));
    for (const one of stalled) one.write(half);
    const { status, headers, body } = await Promise.race(stalled.map((one) => one.response()));
    expect({ status, retry: headers.get("retry-after"), body }).toEqual({
      status: 503,
      retry: "1",
      body: '{"msg":"not taken: too many large bodies are under way; send it again later"}',
    });
    const large = formOf([file("image", picture("png", partBytesMax)), asJson]);
    expect((await connection.post("/albums", large, [formType])).status).toBe(503);
    expect((await postForm([file("image", dot), asJson])).status).toBe(200);
    const other = new RawConnection(system.url, "127.0.0.2");
    expect((await other.post("/albums", large, [formType])).status).toBe(200);
    other.end();
    for (const one of stalled) one.end();
    await vi.waitFor(
      async () => expect((await connection.post("/albums", large, [formType])).status).toBe(200),
      15_000,
    );
  });

  test("pictures beyond the share of an address get 503; other addresses get theirs, and it does when its slow readers have gone", async () => {
    const posted = await postForm([file("image", picture("png", partBytesMax)), asJson]);
    const { albumID } = JSON.parse(posted.body);
    const small = await postForm([file("image", dot), asJson]);
    const path = `/albums/${albumID}/image`;
    const ask = async () => {
      const { status, headers, body } = await fetch(system.url + path);
      await body?.cancel();
      return { status, retry: headers.get("retry-after"), cache: headers.get("cache-control") };
    };
    // 64 MiB are the share: 6 pictures whose clients take nothing behind the first line. What the kernel takes does not count.
    const { hostname, port } = new URL(system.url);
    const stalled = Array.from({ length: 7 }, () => connect(Number(port), hostname));
    const firstLines = stalled.map(async (one) => {
      one.write(`GET ${path} HTTP/1.1\r\nHost: tally\r\n\r\n`);
      await once(one, "readable");
      return String(one.read(12));
    });
    const taken = Array.from({ length: 6 }, () => "HTTP/1.1 200");
    expect((await Promise.all(firstLines)).toSorted()).toEqual([...taken, "HTTP/1.1 503"]);
    expect(await ask()).toEqual({ status: 503, retry: "1", cache: null });
    const other = new RawConnection(system.url, "127.0.0.2");
    expect((await other.get(path)).bytes).toHaveLength(partBytesMax);
    other.end();
    // What is small still finds room.
    expect((await get(`/albums/${JSON.parse(small.body).albumID}/image`)).status).toBe(200);
    for (const one of stalled) one.destroy();
    await vi.waitFor(async () => expect((await ask()).status).toBe(200), 15_000);
  });

  test.each([
    ["nobody's album", () => get(`/albums/${oldId}`), 404, /^albumID: expected the id of an album, got/],
    ["nobody's picture", () => get(`/albums/${oldId}/image`), 404, /^albumID/],
    ["nobody's reviews", () => get(`/review/${oldId}`), 404, /^albumID/],
    ["a review of nobody's album", () => review("like", oldId), 404, /^albumID/],
    ["an id that is none", () => get("/albums/5"), 404, /^albumID: .*"5"/],
    ["an id of a key that was never used", () => get(`/albums/${eventIdOfKey("albums", "none")}`), 404, /^albumID/],
    [
      "an opinion that there is not",
      () => review("love", oldId),
      400,
      /^opinion: expected like or dislike, got "love"/,
    ],
    ["a ranking that there is not", () => get("/albums/top?by=year"), 400, /^by: expected likes or dislikes/],
    ["no id", () => get("/albums/"), 405, /^method: expected POST, got GET/],
    ["no id of a review", () => review("like", ""), 405, /^method: expected GET or HEAD, got POST/],
    ["no path below a base path", () => get("//remoteServer_war//review?x"), 404, /^no such path/],
    ["broken percent-encoding", () => get("/albums/%zz"), 400, /^path: expected valid percent-encoding/],
    ["too long a ranking", () => get("/albums/top?limit=5000"), 400, /^limit: expected an integer from 1 to 100,/],
  ])("%s", async (_what, ask, status, msg) => {
    const answer = await ask();
    expect({ status: answer.status, ...JSON.parse(answer.body) }).toEqual({ status, msg: expect.stringMatching(msg) });
  });

  test("an album that was never accepted, with an id of this moment, is waited for and then 503, not 404", async () => {
    const answer = await get(`/albums/${newEventId()}`);
    expect({ status: answer.status, retry: answer.headers.get("retry-after"), ...JSON.parse(answer.body) }).toEqual({
      status: 503,
      retry: "1",
      msg: expect.stringMatching(/^cannot be read yet/),
    });
  });
});

// Given out in March 2026.
const oldId = "019d0000-0000-7000-8000-000000000000";

function bytesOf(albumId: string): Buffer {
  return Buffer.from(albumId.replaceAll("-", ""), "hex");
}
