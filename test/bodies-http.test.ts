import { mkdtemp, rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import {
  brotliCompressSync,
  brotliDecompressSync,
  gunzipSync,
  gzipSync,
  zstdCompressSync,
  zstdDecompressSync,
} from "node:zlib";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { field, file, formOf, formType, picture } from "./http/form.ts";
import { RawConnection } from "./http/raw-connection.ts";
import { startSystem, type TestSystem } from "./start-system.ts";

const mebibyte = 1024 * 1024;
const proxy = "127.0.0.3";
let system: TestSystem;
let connection: RawConnection;
let directory: string;
let socketPath: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "tally-bodies-"));
  socketPath = join(directory, "loop-work");
  system = await startSystem(
    {
      BULK_BYTES_MAX: String(4 * mebibyte),
      BODIES_BYTES_PER_ADDRESS_MAX: String(16 * mebibyte),
      CONNECTIONS_PER_ADDRESS_MAX: "50",
      TRUST_PROXY: `${proxy}/32`,
      LOOP_WORK_SOCKET: socketPath,
    },
    { execArgv: (app) => (app === "gateway" ? ["--import", join(import.meta.dirname, "loop-work.fixture.ts")] : []) },
  );
  connection = new RawConnection(system.url);
});
afterAll(async () => {
  connection.end();
  await system.stop();
  await rm(directory, { recursive: true });
});

const single = "/purchase/1/customer/1/date/20261120";
const json = "Content-Type: application/json";
const ndjson = "Content-Type: application/x-ndjson";
const repeat = (part: string, bytes: number) => part.repeat(Math.floor(bytes / part.length));
const list = (element: string, bytes: number) => `[${repeat(`${element},`, bytes - 10)}1]`;
const sale = (lines: number) =>
  JSON.stringify({
    storeID: 1,
    custID: 1,
    date: "20261120",
    items: Array.from({ length: lines }, (_, n) => ({ ItemID: n, numberOfItems: 1 })),
  });

/** What the gateway's process says of itself: loop-work.fixture.ts. */
const probe = async (): Promise<{ longestMs: number; scanMs: number; residentBytes: number }> =>
  JSON.parse(await text(connect(socketPath)));

// On idle cores. On a slower or busier machine the same work takes more CPU time, and so does a fixed scan.
const turnMsMax = 50;
const scanMsIdle = 16;
const attempts = 3;

async function expectShortTurns(path: string, headers: readonly string[], body: string | Buffer, status: number) {
  const turns: number[] = [];
  for (let attempt = 0; attempt < attempts; attempt++) {
    const { scanMs } = await probe();
    const answer = await connection.post(path, body, headers);
    expect(answer.status).toBe(status);
    const after = await probe();
    const slowness = Math.max(1, Math.min(scanMs, after.scanMs) / scanMsIdle);
    turns.push(after.longestMs / slowness);
    if (Math.min(...turns) < turnMsMax) return;
  }
  expect(turns).toEqual([]);
}

describe("no request blocks the event loop for more than 50 ms", () => {
  const bulk = "/purchases";
  const form = (body: string | Buffer) => Buffer.concat([Buffer.from(body), formOf([])]);
  const boundary = formOf([]).toString().trim().slice(0, -2);
  const formBytes = 10 * mebibyte;
  const name = 'Content-Disposition: form-data; name="a"';
  const manyKeys = Array.from({ length: 9000 }, (_, n) => `"k${n}":1`).join();
  test.each([
    ["lines of one digit", bulk, ndjson, repeat("1\n", 4 * mebibyte), 400],
    ["empty lines", bulk, ndjson, repeat("\n", 4 * mebibyte), 400],
    ["empty lists", bulk, json, list("[]", 4 * mebibyte), 400],
    ["empty objects", bulk, json, list("{}", 4 * mebibyte), 400],
    ["one entry of empty lists", bulk, json, `[${list("[]", 4 * mebibyte)}]`, 400],
    ["one string", bulk, json, `["${repeat("\\u0000", 4 * mebibyte - 4)}"]`, 400],
    ["open lists", bulk, json, repeat("[", 4 * mebibyte), 400],
    ["250 entries with unknown fields", bulk, json, list(`{${manyKeys.slice(0, 15_999)}}`, 250 * 16_002), 400],
    ["1,000 entries of 500 bad items", bulk, json, list(`{"items":[${repeat("{},", 1497)}1]}`, 999 * 1511), 400],
    ["100 large sales", bulk, json, `[${Array(100).fill(sale(500)).join()}]`, 201],
    ["a sale of empty lists", single, json, list("[]", 120_000), 400],
    ["a sale of empty items", single, json, `{"items":${list("{}", 120_000)}}`, 400],
    ["a sale of 9,000 keys", single, json, `{${manyKeys}}`, 400],
    ["a key twice behind 9,000 others", single, json, `{${manyKeys},"k8999":1}`, 400],
    ["a form of empty parts", "/albums", formType, form(repeat(`${boundary}\r\n\r\n\r\n`, formBytes)), 400],
    ["a form of small parts", "/albums", formType, form(repeat(`${boundary}\r\n${name}\r\n\r\nx\r\n`, formBytes)), 400],
    ["a part of many headers", "/albums", formType, form(`${boundary}\r\n${repeat("X-Y: z\r\n", formBytes)}`), 400],
    ["a form before its first part", "/albums", formType, form(repeat("\r\n--", formBytes)), 400],
    ["a picture that nearly ends", "/albums", formType, formOf([file("image", repeat("\r\n-----", formBytes))]), 400],
    [
      "a JPEG of markers",
      "/albums",
      formType,
      formOf([file("image", Buffer.alloc(formBytes, 0xff)), field("profile", '{"artist":"A","title":"T","year":"1"}')]),
      400,
    ],
    [
      "a large album",
      "/albums",
      formType,
      formOf([file("image", picture("png", formBytes)), field("profile", '{"artist":"A","title":"T","year":"1"}')]),
      200,
    ],
    ["a sale over the limit", single, json, repeat(" ", mebibyte), 413],
  ])("%s", { timeout: 60_000 }, async (_what, path, type, body, status) => {
    await expectShortTurns(path, [type], body, status);
  });

  const sales = (count: number, lines: number, more: (n: number) => object) =>
    JSON.stringify(Array.from({ length: count }, (_, n) => ({ ...JSON.parse(sale(lines)), ...more(n) })));
  const ownKey = (prefix: string) => (n: number) => ({ idempotencyKey: `${prefix}${n}-`.padEnd(255, "k") });
  const albumParts = [
    file("image", picture("png", formBytes)),
    field("profile", '{"artist":"A","title":"T","year":"1"}'),
  ];
  const keyHeader = "Idempotency-Key: turns";
  test.each([
    ["1,000 small sales with a key", bulk, [json, keyHeader], sales(1000, 1, () => ({})), 201],
    ["1,000 sales of 100 items with a key", bulk, [json, `${keyHeader}-2`], sales(1000, 100, () => ({})), 201],
    ["1,000 small sales with own keys", bulk, [json], sales(1000, 1, ownKey("a")), 201],
    ["1,000 sales of 100 items with own keys", bulk, [json], sales(1000, 100, ownKey("b")), 201],
    ["100 sales of 500 items with own keys", bulk, [json], sales(100, 500, ownKey("c")), 201],
    ["a large album with a key", "/albums", [formType, keyHeader], formOf(albumParts), 200],
  ])("%s", { timeout: 60_000 }, async (_what, path, headers, body, status) => {
    await expectShortTurns(path, headers, body, status);
    // The retry is compared with the first.
    await expectShortTurns(path, headers, body, status);
  });
});

describe("a body is read as what its headers say, or not at all", () => {
  const oneSale = '{"items":[{"ItemID":1,"numberOfItems":1}]}';
  const post = (headers: readonly string[], body: string | Buffer = oneSale) => connection.post(single, body, headers);

  test.each([
    "application/json",
    "application/json; charset=utf-8",
    'application/json;charset="UTF-8"',
    "application/json; a=b; CHARSET = us-ascii",
    "application/json; charset=utf8",
  ])("Content-Type: %s", async (type) => {
    expect((await post([`Content-Type: ${type}`])).status).toBe(201);
  });

  test.each(["utf-16", '"ISO-8859-1"', "", "utf-8; charset=utf-16", "windows-1252"])(
    "charset=%s is rejected",
    async (charset) => {
      for (const [path, type] of [
        [single, "application/json"],
        ["/purchases", "application/x-ndjson"],
      ] as const) {
        const answer = await connection.post(path, oneSale, [`Content-Type: ${type}; charset=${charset}`]);
        expect({ status: answer.status, ...JSON.parse(answer.body) }).toEqual({
          status: 415,
          message: expect.stringMatching(/^Content-Type: expected charset=utf-8, got "application/),
        });
      }
    },
  );

  test("two Content-Types are rejected, also when they are equal", async () => {
    for (const second of ["content-type: text/plain", json]) {
      const answer = await post([json, second]);
      expect({ status: answer.status, ...JSON.parse(answer.body) }).toEqual({
        status: 400,
        message: "Content-Type: expected the header once, got 2",
      });
    }
  });

  test.each([
    ["gzip", gzipSync],
    ["X-GZIP", gzipSync],
    ["br", brotliCompressSync],
    ["zstd", zstdCompressSync],
    ["identity", (bytes: Buffer) => bytes],
  ] as const)("Content-Encoding: %s", async (encoding, encode) => {
    const headers = [json, `Content-Encoding: ${encoding}`];
    expect((await post(headers, encode(Buffer.from(oneSale)))).status).toBe(201);
    // The limit is that of the body as it is when decoded.
    const spaces = `${oneSale}${" ".repeat(128 * 1024 - oneSale.length)}`;
    expect((await post(headers, encode(Buffer.from(spaces)))).status).toBe(201);
    expect((await post(headers, encode(Buffer.from(`${spaces} `)))).status).toBe(413);
    const bulk = `[${Array(500).fill(sale(5)).join()}]`;
    expect((await connection.post("/purchases", encode(Buffer.from(bulk)), headers)).status).toBe(201);
  });

  test.each([
    ["gzip", gzipSync],
    ["br", brotliCompressSync],
    ["zstd", zstdCompressSync],
  ] as const)("%s that is cut short, followed by more, or none at all is rejected", async (encoding, encode) => {
    const encoded = encode(oneSale);
    const wrong = [
      encoded.subarray(0, -3),
      Buffer.concat([encoded, Buffer.from("more")]),
      Buffer.from(oneSale),
      Buffer.alloc(0),
    ];
    for (const body of wrong) {
      const answer = await post([json, `Content-Encoding: ${encoding}`], body);
      expect({ status: answer.status, ...JSON.parse(answer.body) }).toEqual({
        status: 400,
        message: expect.stringMatching(`^body: expected valid ${encoding}, got `),
      });
    }
  });

  test.each(["deflate", "compress", "gzip, gzip", "br, identity", "none"])(
    "Content-Encoding: %s is rejected",
    async (encoding) => {
      const answer = await post([json, `Content-Encoding: ${encoding}`]);
      expect({ status: answer.status, ...JSON.parse(answer.body) }).toEqual({
        status: 415,
        message: `Content-Encoding: expected one of gzip, br, zstd, identity, got "${encoding}"`,
      });
    },
  );

  test("bombs are rejected and take no memory", { timeout: 60_000 }, async () => {
    const bomb = gzipSync(Buffer.alloc(256 * mebibyte));
    const memory = async () => (await probe()).residentBytes / mebibyte;
    const before = await memory();
    const connections = Array.from({ length: 20 }, () => new RawConnection(system.url));
    const bulk = ["Content-Encoding: gzip", json];
    const statuses = await Promise.all(
      connections.map(async (one) => (await one.post("/purchases", bomb, bulk)).status),
    );
    expect(new Set(statuses)).toEqual(new Set([413]));
    for (const one of connections) one.end();
    expect((await memory()) - before).toBeLessThan(200);
  });
});

describe("large answers are compressed for clients that accept it", () => {
  const readable = async (accepted: readonly string[]) => connection.get("/purchases?storeID=1&limit=200", accepted);

  test.each([
    ["gzip", gunzipSync],
    ["br", brotliDecompressSync],
    ["zstd", zstdDecompressSync],
  ] as const)("%s", async (encoding, decode) => {
    await vi.waitFor(async () => expect((await readable([])).bytes.length).toBeGreaterThan(10_000), 10_000);
    const plain = await readable([]);
    const answer = await readable([`Accept-Encoding: ${encoding}`]);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "content-encoding": encoding,
      vary: "accept-encoding",
      "content-type": "application/json; charset=utf-8",
    });
    expect(answer.bytes.length).toBeLessThan(plain.bytes.length / 3);
    const { purchases } = JSON.parse(decode(answer.bytes).toString());
    expect(purchases).toHaveLength(JSON.parse(plain.body).purchases.length);
  });

  test("not for others, and no small answer", async () => {
    const plain = await readable(["Accept-Encoding: gzip;q=0, deflate"]);
    expect({ encoding: plain.headers.get("content-encoding"), vary: plain.headers.get("vary") }).toEqual({
      encoding: undefined,
      vary: "accept-encoding",
    });
    const small = await connection.get("/items/store/1", ["Accept-Encoding: gzip, br, zstd"]);
    expect([small.headers.get("content-encoding"), small.headers.get("vary")]).toEqual([undefined, undefined]);
  });
});

describe("texts that are stored hold no NUL", () => {
  test.each([
    [
      "/swipe/left",
      { swiper: 1, swipee: 2, comment: "a\0b" },
      /^comment: expected a text .*none of them U\+0000, got "a\\u0000b"/,
    ],
    ["/skiers/liftrides", { resortID: "a\0b", dayID: 1, skierID: 2, time: 3, liftID: 4 }, /^resortID: /],
  ])("%s", async (path, body, message) => {
    const answer = await connection.post(path, JSON.stringify(body));
    expect({ status: answer.status, ...JSON.parse(answer.body) }).toEqual({
      status: 400,
      message: expect.stringMatching(message),
    });
  });

  test("in a path", async () => {
    const body = JSON.stringify({ time: 3, liftID: 4 });
    const answer = await connection.post("/skiers/a%00b/seasons/1/days/1/skiers/1", body);
    expect({ status: answer.status, ...JSON.parse(answer.body) }).toEqual({
      status: 400,
      message: expect.stringMatching(/^resortID: /),
    });
  });

  test.each(["artist", "title", "year"])("in a profile's %s", async (name) => {
    const profile = JSON.stringify({ artist: "A", title: "T", year: "1", [name]: "a\0b" });
    const answer = await connection.post(
      "/albums",
      formOf([file("image", picture("png", 67)), field("profile", profile)]),
      [formType],
    );
    expect({ status: answer.status, ...JSON.parse(answer.body) }).toEqual({
      status: 400,
      msg: expect.stringMatching(`^profile\\.${name}: expected a text .*none of them U\\+0000, got "a\\\\u0000b"`),
    });
  });
});

test("a picture that declares more pixels than a decoder should take is rejected", async () => {
  const image = picture("png", 67);
  image.writeUInt32BE(14_000, 16);
  image.writeUInt32BE(14_000, 20);
  const answer = await connection.post(
    "/albums",
    formOf([file("image", image), field("profile", '{"artist":"A","title":"T","year":"1"}')]),
    [formType],
  );
  expect({ status: answer.status, body: answer.body }).toEqual({
    status: 400,
    body: '{"msg":"image: expected at most 8192 pixels a side and 40000000 together, got {\\"width\\":14000,\\"height\\":14000}"}',
  });
});

describe("a client has its share of memory and connections", () => {
  const profile = field("profile", '{"artist":"A","title":"T","year":"1"}');
  const album = formOf([file("image", picture("png", 10 * mebibyte)), profile]);
  const headOf = (forwardedFor: string) => [
    "POST /albums HTTP/1.1",
    "Host: tally",
    formType,
    `Content-Length: ${album.length}`,
    `X-Forwarded-For: ${forwardedFor}`,
  ];
  const stall = async (localAddress: string, forwardedFor: string): Promise<RawConnection> => {
    const stalled = new RawConnection(system.url, localAddress);
    await stalled.writeAll(`${headOf(forwardedFor).join("\r\n")}\r\n\r\n`);
    await stalled.writeAll(album.subarray(0, -1));
    return stalled;
  };
  const statusOf = async (localAddress: string, forwardedFor: string) => {
    const own = new RawConnection(system.url, localAddress);
    const { status } = await own.send(headOf(forwardedFor), album);
    own.end();
    return status;
  };

  /** A form that waits for its last byte and holds the share of its client: another one of this client gets 503. */
  const stalledForm = (localAddress: string, forwardedFor: string, asked: string) =>
    vi.waitFor(async () => {
      const stalled = await stall(localAddress, forwardedFor);
      const status = await statusOf(localAddress, asked);
      // Both were under way at the same time, and it was the first that got 503.
      if (status === 200) stalled.end();
      expect(status).toBe(503);
      return stalled;
    }, 20_000);

  test("by what a trusted proxy says of it", { timeout: 40_000 }, async () => {
    const stalled = await stalledForm(proxy, "10.0.0.1", "10.0.0.1");
    expect(await statusOf(proxy, "10.0.0.2")).toBe(200);
    // What the client itself has sent to the proxy stands first.
    expect(await statusOf(proxy, "10.0.0.2, 10.0.0.1")).toBe(503);
    stalled.end();
    await vi.waitFor(async () => expect(await statusOf(proxy, "10.0.0.1")).toBe(200), 10_000);
  });

  test("by its own address where it says so itself", { timeout: 40_000 }, async () => {
    const stalled = await stalledForm("127.0.0.4", "10.0.0.1", "10.0.0.2");
    expect(await statusOf("127.0.0.5", "10.0.0.1")).toBe(200);
    stalled.end();
  });

  test("connections beyond the limit are closed, those of a proxy are not", async () => {
    const open = async (localAddress: string) => {
      const own = new RawConnection(system.url, localAddress);
      return own.get("/health/live").then(
        ({ status }) => ({ own, status }),
        () => ({ own, status: "closed" }),
      );
    };
    const sixty = async (localAddress: string) => {
      const opened = await Promise.all(Array.from({ length: 60 }, () => open(localAddress)));
      for (const { own } of opened) own.end();
      return opened.filter(({ status }) => status === 200).length;
    };
    expect(await sixty("127.0.0.6")).toBe(50);
    expect(await sixty(proxy)).toBe(60);
  });
});
