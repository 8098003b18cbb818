import { randomBytes } from "node:crypto";
import { connect } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { openDatabase } from "./rankings-equal-rows.ts";
import { RawConnection, upgrade } from "./http/raw-connection.ts";
import { startSystem, type TestSystem } from "./start-system.ts";

const headersWithinMs = 1500;
const bodyWithinMs = 3000;
const foundWithinMs = 4500;
// The gateway looks for late requests once a second.
const checkedEveryMs = 1000;
const slackMs = 700;

let system: TestSystem;
const connections: RawConnection[] = [];

beforeAll(async () => {
  system = await startSystem({
    // Sales are stored in the order of their confirms.
    WRITER_THREADS: "1",
    HEALTH_KEPT_MS: "1000",
    HEADERS_WITHIN_MS: String(headersWithinMs),
    BODY_WITHIN_MS: String(bodyWithinMs),
    FOUND_WITHIN_MS: String(foundWithinMs),
    BASE_PATHS: "/remoteServer_war",
  });
});

afterAll(async () => {
  for (const connection of connections) connection.end();
  await system.stop();
});

function open(): RawConnection {
  const connection = new RawConnection(system.url);
  connections.push(connection);
  return connection;
}

let customers = 0;
/** The bytes of a sale, and its customer: no other sale has it. */
function sale(headers: readonly string[] = []): { readonly bytes: string; readonly customer: number } {
  const customer = ++customers;
  const body = '{"items":[{"ItemID":1,"numberOfItems":1}]}';
  const head = [
    `POST /purchase/1/customer/${customer}/date/20261120 HTTP/1.1`,
    "Host: tally",
    "Content-Type: application/json",
    ...headers,
    `Content-Length: ${body.length}`,
  ];
  return { bytes: `${head.join("\r\n")}\r\n\r\n${body}`, customer };
}

const get = (path: string, headers: readonly string[] = []): string =>
  [`GET ${path} HTTP/1.1`, "Host: tally", ...headers, "", ""].join("\r\n");
/** Waits `foundWithinMs` for an album of this moment that was never posted, and is answered with 503. */
function slowGet(): string {
  const ms = Date.now().toString(16).padStart(12, "0");
  const tail = randomBytes(10).toString("hex");
  const id = `${ms.slice(0, 8)}-${ms.slice(8)}-7${tail.slice(1, 4)}-8${tail.slice(5, 8)}-${tail.slice(8, 20)}`;
  return get(`/albums/${id}`);
}

const closed = (connection: RawConnection, withinMs = 5000) =>
  vi.waitFor(() => expect(connection.closed).toBe(true), withinMs);
async function statuses(connection: RawConnection, count: number): Promise<readonly number[]> {
  const all: number[] = [];
  while (all.length < count) all.push((await connection.response()).status);
  return all;
}

/** Which of these customers have a row, once the sales before are stored. */
async function storedOf(asked: readonly number[]): Promise<readonly number[]> {
  const last = sale();
  const connection = open();
  connection.write(last.bytes);
  expect((await connection.response()).status).toBe(201);
  const database = openDatabase(system);
  try {
    return await vi.waitFor(async () => {
      const rows = await database.writer.query<{ customer: number }>("SELECT customer_id AS customer FROM purchases");
      const stored = new Set(rows.map(({ customer }) => customer));
      expect(stored).toContain(last.customer);
      return asked.filter((customer) => stored.has(customer));
    }, 10_000);
  } finally {
    await database.close();
  }
}

describe("the order of responses", () => {
  test("one byte more than Content-Length: the sale is answered with 201, then the rest with 400, and the connection is closed", async () => {
    const connection = open();
    const { bytes, customer } = sale();
    connection.write(`${bytes}x`);
    expect(await statuses(connection, 2)).toEqual([201, 400]);
    await closed(connection);
    expect(connection.leftOver).toBe("");
    expect(await storedOf([customer])).toEqual([customer]);
  });

  test("two pipelined sales and garbage: 201, 201, 400", async () => {
    const connection = open();
    const sales = [sale(), sale()];
    connection.write(`${sales.map(({ bytes }) => bytes).join("")}no HTTP\r\n\r\n`);
    expect(await statuses(connection, 3)).toEqual([201, 201, 400]);
    await closed(connection);
    expect(connection.leftOver).toBe("");
    expect(await storedOf(sales.map(({ customer }) => customer))).toHaveLength(2);
  });

  test("200 pipelined sales, garbage, and 10 sales behind it: 200 are answered and stored, the rest is refused once", async () => {
    const connection = open();
    const sales = Array.from({ length: 210 }, () => sale());
    const bytes = sales.map((one) => one.bytes);
    connection.write([...bytes.slice(0, 200), "\0\0", ...bytes.slice(200)].join(""));
    expect(await statuses(connection, 201)).toEqual([...Array.from({ length: 200 }, () => 201), 400]);
    await closed(connection);
    expect(connection.leftOver).toBe("");
    expect(await storedOf(sales.map(({ customer }) => customer))).toEqual(
      sales.slice(0, 200).map(({ customer }) => customer),
    );
  });

  test("a body with a malformed chunk gets one 400, after the response to the request before it, and is not stored", async () => {
    const connection = open();
    const before = sale();
    const customer = ++customers;
    const head = `POST /purchase/1/customer/${customer}/date/20261120 HTTP/1.1\r\nHost: tally\r\nTransfer-Encoding: chunked\r\n\r\n`;
    connection.write(`${before.bytes}${head}5\r\n{"ite\r\nzz\r\n`);
    expect(await statuses(connection, 2)).toEqual([201, 400]);
    await closed(connection);
    expect(connection.leftOver).toBe("");
    expect(await storedOf([customer])).toEqual([]);
  });

  test("garbage behind a request that closes the connection is dropped: the sale is answered, and nothing follows", async () => {
    const connection = open();
    connection.write(`${sale(["Connection: close"]).bytes}garbage`);
    expect(await statuses(connection, 1)).toEqual([201]);
    await closed(connection);
    expect(connection.leftOver).toBe("");
  });

  test("a client that still sends gets the 400 for what it sends", async () => {
    for (let i = 0; i < 5; i++) {
      const connection = open();
      connection.write(Buffer.concat([Buffer.from("no HTTP\r\n\r\n"), Buffer.alloc(4 * 1024 * 1024)]));
      expect(await statuses(connection, 1)).toEqual([400]);
      await closed(connection);
    }
  });

  test("a client that ends its side after its requests gets their responses, also when a hundred wait", async () => {
    for (const count of [1, 2, 100]) {
      const connection = open();
      connection.write(Array.from({ length: count }, () => sale().bytes).join(""));
      connection.endSending();
      expect(await statuses(connection, count)).toEqual(Array.from({ length: count }, () => 201));
      await closed(connection);
      expect(connection.leftOver).toBe("");
    }
  });

  test("a client that ends its side in the middle of a request gets 400, and nothing is stored", async () => {
    const { bytes, customer } = sale();
    for (const sent of [30, bytes.length - 5]) {
      const connection = open();
      connection.write(bytes.slice(0, sent));
      connection.endSending();
      expect(await statuses(connection, 1)).toEqual([400]);
      await closed(connection);
      expect(connection.leftOver).toBe("");
    }
    expect(await storedOf([customer])).toEqual([]);
  });
});

describe("time limits", () => {
  async function expectLate(connection: RawConnection, sentAt: number, limitMs: number): Promise<void> {
    const answer = await connection.response();
    const ms = performance.now() - sentAt;
    expect([answer.status, answer.headers.get("connection")]).toEqual([408, "close"]);
    expect(JSON.parse(answer.body)).toEqual({ message: "request: expected all of it sooner" });
    expect(ms).toBeGreaterThan(limitMs - 100);
    expect(ms).toBeLessThan(limitMs + checkedEveryMs + slackMs);
    await closed(connection);
    expect(connection.leftOver).toBe("");
  }

  test.concurrent("a head that is not whole in time gets 408", async () => {
    const connection = open();
    const sentAt = performance.now();
    connection.write("GET /items/store/1 HTTP/1.1\r\nHost: ta");
    await expectLate(connection, sentAt, headersWithinMs);
  });

  test.concurrent("a body that is not whole in time gets 408, also when a byte comes all the time", async () => {
    const connection = open();
    const sentAt = performance.now();
    const { bytes, customer } = sale();
    connection.write(bytes.slice(0, -30));
    const drip = setInterval(() => connection.write(" "), 300);
    await expectLate(connection, sentAt, bodyWithinMs).finally(() => clearInterval(drip));
    expect(await storedOf([customer])).toEqual([]);
  });

  test.concurrent("a connection that sends nothing is closed without a response", async () => {
    const connection = open();
    await closed(connection, headersWithinMs + checkedEveryMs + slackMs);
    expect(connection.leftOver).toBe("");
  });

  test.concurrent("a request that is late while the one before it is answered gets its 408 after that response", async () => {
    const connection = open();
    connection.write(`${slowGet()}GET /items`);
    expect(await statuses(connection, 2)).toEqual([503, 408]);
    await closed(connection);
    expect(connection.leftOver).toBe("");
  });

  test.concurrent("what completes a late head comes too late: it gets the 408, and nothing of it is stored", async () => {
    const connection = open();
    const [late, behind] = [sale(), sale()];
    connection.write(slowGet() + late.bytes.slice(0, 40));
    await delay((headersWithinMs + checkedEveryMs + foundWithinMs) / 2);
    connection.write(late.bytes.slice(40) + behind.bytes);
    expect(await statuses(connection, 2)).toEqual([503, 408]);
    await closed(connection);
    expect(connection.leftOver).toBe("");
    expect(await storedOf([late.customer, behind.customer])).toEqual([]);
  });

  test.concurrent("a late sale that is whole before its 408 could be sent is answered with 201, and with nothing else", async () => {
    const connection = open();
    const { bytes } = sale();
    connection.write(slowGet() + bytes.slice(0, -5));
    await delay((bodyWithinMs + checkedEveryMs + foundWithinMs) / 2);
    connection.write(bytes.slice(-5));
    expect(await statuses(connection, 2)).toEqual([503, 201]);
    await closed(connection);
    expect(connection.leftOver).toBe("");
  });

  test.concurrent.each([
    [
      "413",
      "POST /albums HTTP/1.1\r\nHost: tally\r\nContent-Type: multipart/form-data; boundary=x\r\nContent-Length: 99999999\r\n\r\n",
      413,
    ],
    ["200", "GET /items/store/1 HTTP/1.1\r\nHost: tally\r\nContent-Length: 10\r\n\r\n", 200],
    ["417", "POST /purchases HTTP/1.1\r\nHost: tally\r\nExpect: more\r\nContent-Length: 10\r\n\r\n", 417],
  ])("no 408 follows a %s that was sent before the body came", async (_name, head, status) => {
    const connection = open();
    connection.write(head);
    expect(await statuses(connection, 1)).toEqual([status]);
    await closed(connection, bodyWithinMs + checkedEveryMs + slackMs);
    expect(connection.leftOver).toBe("");
  });

  test.concurrent("a connection that has had a response is kept longer than these limits, for 65 s", async () => {
    const connection = open();
    connection.write(get("/health/live"));
    expect((await connection.response()).headers.get("keep-alive")).toBe("timeout=65");
    await delay(bodyWithinMs + checkedEveryMs + slackMs);
    connection.write(get("/health/live"));
    expect((await connection.response()).status).toBe(200);
  });
});

describe("what is refused before there is a route", () => {
  test.each([
    ["no Host", "GET /items/store/1 HTTP/1.1\r\n\r\n", 400, { message: "Host: expected this header in HTTP/1.1" }],
    [
      "two Host headers",
      "GET /albums/1 HTTP/1.1\r\nHost: a\r\nHOST: b\r\n\r\n",
      400,
      { msg: "Host: expected one such header, got several" },
    ],
    [
      "an Expect that is not met",
      "POST /review/like/1 HTTP/1.1\r\nHost: a\r\nExpect: more\r\nContent-Length: 0\r\n\r\n",
      417,
      { msg: 'Expect: expected 100-continue, got "more"' },
    ],
    [
      "101 headers",
      `GET /items/store/1 HTTP/1.1\r\nHost: a\r\n${"A: b\r\n".repeat(100)}\r\n`,
      431,
      { message: "headers: expected at most 100" },
    ],
  ])("%s: an error body says what is expected, and the connection stays open", async (_name, bytes, status, body) => {
    const connection = open();
    for (let i = 0; i < 2; i++) {
      connection.write(bytes);
      const answer = await connection.response();
      expect([answer.status, JSON.parse(answer.body)]).toEqual([status, body]);
    }
    connection.write(get("/health/live"));
    expect((await connection.response()).status).toBe(200);
  });

  test("HTTP/1.0 needs no Host", async () => {
    const connection = open();
    connection.write("GET /health/live HTTP/1.0\r\n\r\n");
    expect((await connection.response()).status).toBe(200);
  });

  test.each([
    ["both Content-Length and Transfer-Encoding", "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"],
    ["two lengths", "Content-Length: 5\r\nContent-Length: 6\r\n\r\n{}"],
    ["a length with a sign", "Content-Length: +5\r\n\r\n{}"],
    ["chunked that is not the last encoding", "Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n"],
    ["chunked twice", "Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n"],
    ["a space before the colon", "Content-Length : 5\r\n\r\n{}"],
    ["a folded header", "X: a\r\n b\r\nContent-Length: 0\r\n\r\n"],
    ["a bare line feed in a head", "X: a\nContent-Length: 0\r\n\r\n"],
    ["NUL in a header", "X: a\0b\r\nContent-Length: 0\r\n\r\n"],
  ])("%s: 400, and the connection is closed", async (_name, rest) => {
    const connection = open();
    connection.write(`POST /purchases HTTP/1.1\r\nHost: tally\r\n${rest}${get("/health/live")}`);
    const answer = await connection.response();
    expect([answer.status, JSON.parse(answer.body)]).toEqual([400, { message: "request: expected HTTP/1.1" }]);
    await closed(connection);
    expect(connection.leftOver).toBe("");
  });

  test.each([
    "POST /albums HTTP/1.1\r\nHost: tally\r\nContent-Length: x\r\n\r\n",
    "POST /remoteServer_war//albums HTTP/1.1\r\nHost: tally\r\nContent-Length: x\r\n\r\n",
    "GET /review/1 HTTP/1.2\r\n\r\n",
    `${get("/items/store/1")}POST /review/like/1 HTTP/1.1\r\nA B: c\r\n\r\n`,
    "POST /albums HTTP/1.1\r\nHost: tally\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    `GET /albums/1 HTTP/1.1\r\nHost: tally\r\nX: ${"x".repeat(20_000)}\r\n\r\n`,
  ])("a malformed request of the albums has its error under msg: %j", async (bytes) => {
    const connection = open();
    connection.write(bytes);
    if (bytes.startsWith("GET /items")) await connection.response();
    const answer = await connection.response();
    expect([400, 431]).toContain(answer.status);
    expect(JSON.parse(answer.body)).toEqual({ msg: expect.stringMatching(/expected/) });
    await closed(connection);
  });

  test("CONNECT gets 405 with a body after the responses before it, and the connection is closed", async () => {
    const connection = open();
    connection.write(`${sale().bytes}CONNECT other:443 HTTP/1.1\r\nHost: other:443\r\n\r\nbytes of a tunnel`);
    expect((await connection.response()).status).toBe(201);
    const answer = await connection.response();
    expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET, HEAD, POST"]);
    expect(JSON.parse(answer.body)).toEqual({ message: expect.stringMatching(/^CONNECT: this is no proxy/) });
    await closed(connection);
    expect(connection.leftOver).toBe("");
  });

  test("the preface of HTTP/2 gets a response and is closed", async () => {
    const connection = open();
    connection.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
    expect((await connection.response()).status).toBe(400);
    await closed(connection);
  });

  test("Upgrade: h2c on every request of a connection changes nothing", async () => {
    const connection = open();
    for (const [bytes, status] of [
      [sale(upgrade).bytes, 201],
      [get("/health/live", upgrade), 200],
      [sale(upgrade).bytes, 201],
    ] as const) {
      connection.write(bytes);
      expect((await connection.response()).status).toBe(status);
    }
  });
});

describe("pipelining behind an Upgrade that is not taken", () => {
  // Node drops the rest of the packet. The connection must not go on with what comes after it.
  test("the request is answered, the rest is neither answered nor stored, and the connection is closed", async () => {
    const inParts = sale([...upgrade, "Expect: 100-continue"]).bytes;
    for (const [head, first] of [
      ["", sale(upgrade).bytes],
      ["", get("/health/live", upgrade)],
      [inParts.slice(0, inParts.indexOf("{")), inParts.slice(inParts.indexOf("{"))],
    ] as const) {
      const [hidden, behind] = [sale(), sale()];
      const carrier = [
        `POST /purchase/1/customer/${++customers}/date/20261120 HTTP/1.1`,
        "Host: tally",
        `Content-Length: ${hidden.bytes.length}`,
        "",
        "",
      ].join("\r\n");
      const connection = open();
      if (head !== "") {
        connection.write(head);
        expect((await connection.response()).status).toBe(100);
      }
      connection.write(first + carrier);
      expect((await connection.response()).status).toBeLessThan(300);
      connection.write(hidden.bytes + behind.bytes);
      await closed(connection);
      expect(connection.leftOver).toBe("");
      expect(await storedOf([hidden.customer, behind.customer])).toEqual([]);
    }
  });
});

describe("a method that a path does not have", () => {
  test.each([
    ["PUT", "/purchase/1/customer/1/date/20261120", "POST"],
    ["POST", "/items/store/1", "GET, HEAD"],
    ["DELETE", "/purchases?storeID=1", "GET, HEAD, POST"],
    ["OPTIONS", "//purchases/", "GET, HEAD, POST"],
    ["PATCH", "/remoteServer_war/albums", "POST"],
    ["PROPFIND", "/health/live", "GET, HEAD"],
  ])("%s %s: 405, and Allow says %s", async (method, path, allow) => {
    const connection = open();
    const answer = await connection.send([`${method} ${path} HTTP/1.1`, "Host: tally", "Content-Length: 0"]);
    expect([answer.status, answer.headers.get("allow")]).toEqual([405, allow]);
    const key = path.includes("albums") ? "msg" : "message";
    expect(JSON.parse(answer.body)).toEqual({
      [key]: `method: expected ${allow.replaceAll(", ", " or ")}, got ${method}`,
    });
  });

  test("a path that leads nowhere is still 404, without Allow", async () => {
    const answer = await open().send(["PUT /purchase HTTP/1.1", "Host: tally"]);
    expect([answer.status, answer.headers.get("allow")]).toEqual([404, undefined]);
  });

  test("HEAD of a GET route is answered without a body", async () => {
    const connection = open();
    connection.write("HEAD /items/store/1 HTTP/1.1\r\nHost: tally\r\nConnection: close\r\n\r\n");
    await closed(connection);
    expect(connection.leftOver).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*\r\n\r\n$/);
  });
});

describe("a flood", () => {
  const flood = 20_000;

  /** Sends `flood` pipelined requests on one connection; resolves when all are answered, with the statuses that came. */
  function pipelined(url: string, bytes: string): Promise<ReadonlyMap<string, number>> {
    const { port } = new URL(url);
    const seen = new Map<string, number>();
    return new Promise((resolve, reject) => {
      const socket = connect(Number(port), "127.0.0.1");
      let answers = 0;
      let rest = "";
      socket.on("error", reject);
      socket.on("data", (data) => {
        const lines = (rest + data.toString()).split("\r\n");
        rest = lines.pop() ?? "";
        for (const line of lines) {
          const status = /HTTP\/1\.1 (\d+)/.exec(line)?.[1];
          if (status === undefined) continue;
          answers++;
          seen.set(status, (seen.get(status) ?? 0) + 1);
        }
        if (answers < flood) return;
        socket.destroy();
        resolve(seen);
      });
      socket.write(bytes.repeat(flood));
    });
  }

  test.each(["/health/live", "/items/store/1", "/nowhere", "/albums/x"])(
    "20,000 pipelined GET %s are all answered, and another client is not delayed",
    async (path) => {
      const other = open();
      const ask = async (): Promise<number> => {
        const askedAt = performance.now();
        other.write(get("/health/live"));
        expect((await other.response()).status).toBe(200);
        return performance.now() - askedAt;
      };
      await ask();
      let isOver = false;
      const flooded = pipelined(system.url, get(path)).finally(() => (isOver = true));
      const times: number[] = [];
      const startedAt = performance.now();
      while (!isOver) times.push(await ask());
      expect([...(await flooded).values()]).toEqual([flood]);
      const floodMs = performance.now() - startedAt;
      // In one piece the flood takes the gateway half a second and more: the other client gets a handful of answers. The bounds are
      // relative because other processes share the machine.
      expect(times.length).toBeGreaterThan(50);
      expect(times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.95)]).toBeLessThan(Math.max(50, floodMs / 20));
      expect(Math.max(...times)).toBeLessThan(Math.max(100, floodMs / 3));
    },
  );

  test("readiness and metrics are on the operator port alone, and computed once a second", async () => {
    const [operatorUrl = ""] = system.operatorUrls;
    for (const path of ["/health/ready", "/metrics"]) {
      expect((await fetch(system.url + path)).status).toBe(404);
      expect((await fetch(operatorUrl + path)).status).toBe(200);
    }
    expect((await fetch(`${system.url}/health/live`)).status).toBe(200);
    // The time of the process in the text changes with each computation.
    const cpu = async () =>
      /^process_cpu_seconds_total (\S+)$/m.exec(await (await fetch(`${operatorUrl}/metrics`)).text())?.[1];
    const startedAt = performance.now();
    const seen = new Set<string | undefined>();
    for (let i = 0; i < 200; i++) seen.add(await cpu());
    expect(seen.size).toBeLessThanOrEqual(1 + Math.ceil((performance.now() - startedAt) / 1000));
    await vi.waitFor(async () => expect(seen).not.toContain(await cpu()), 5000);
  });
});
