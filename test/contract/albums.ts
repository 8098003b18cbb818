import { once } from "node:events";
import { connect } from "node:net";
import { eventIdOfKey } from "@tally/contract";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { formOf, formType, field, file, picture, type Part } from "../http/form.ts";
import { chunked } from "../http/http-case.ts";
import { RawConnection, upgrade } from "../http/raw-connection.ts";
import { cover, image, profile } from "../http/sample-requests.ts";
import { recorded, type Contract } from "./contract.ts";
import { libraries } from "./existing-clients.ts";

const partBytesMax = 10 * 1024 * 1024;
const text = field("profile", profile(1));
const plain = [cover, text];
const large = [file("image", picture("png", partBytesMax)), text];

/** Albums and reviews: what depends on the id of an album, on several gateways, or on many connections. */
export function albums(contract: Contract): void {
  const open = (localAddress?: string, gateway = 0): RawConnection =>
    new RawConnection(contract.system().urls[gateway] ?? "", localAddress === undefined ? {} : { localAddress });
  let connection: RawConnection;
  const { database } = contract;

  async function newAlbum(parts: readonly Part[] = plain, headers: readonly string[] = [formType]): Promise<string> {
    const response = recorded(contract, await connection.post("/albums", formOf(parts), headers));
    expect({ status: response.status, body: response.body }).toMatchObject({ status: 200 });
    return JSON.parse(response.body).albumID;
  }
  const review = async (opinion: string, albumId: string, headers: readonly string[] = ["Content-Length: 0"]) =>
    recorded(
      contract,
      await connection.send([`POST /review/${opinion}/${albumId} HTTP/1.1`, "Host: tally", ...headers]),
    );
  const read = async (path: string) => JSON.parse((await connection.get(path)).body);

  describe("albums and reviews", () => {
    beforeAll(() => {
      connection = open();
      return () => connection.destroy();
    });

    test("an album gets 200 with its id and its picture's size, both as texts, and is found at once", async () => {
      const response = recorded(contract, await connection.post("/albums", formOf(plain), [formType]));
      const albumID = response.headers.get("tally-event-id") ?? "";
      expect(JSON.parse(response.body)).toEqual({ albumID, imageSize: "67" });
      const found = await connection.get(`/albums/${albumID}`, upgrade);
      expect(found).toMatchObject({ status: 200, body: '{"artist":"A","title":"T1","year":"2000"}' });
      expect(found.headers.get("content-type")).toBe("application/json; charset=utf-8");
      expect((await connection.get(`/albums/${albumID}/image`, upgrade)).bytes.equals(image)).toBe(true);
      for (const path of [`/albums/${albumID}`, `/albums/${albumID}/image`, `/review/${albumID}`, "/albums/top"])
        expect((await connection.get(path, ["Content-Type: application/json"])).status).toBe(200);
      for (const path of [`//albums/${albumID}/`, `/shop_war/albums/${albumID}`])
        expect((await connection.get(path)).status).toBe(200);
    });

    test.each(libraries)(
      "S0's client on $name: an album is found right after its POST, and reviewed",
      async (library) => {
        const base = "/assignment-java-server_war";
        // The library writes the length of each part; the generated client writes the profile as text (contract, section 0, row 5).
        const profileText = "class AlbumsProfile {\n    artist: A\n    title: T1\n    year: 2000\n}";
        const parts: readonly Part[] = [
          { head: [...cover.head, `Content-Length: ${image.length}`], bytes: image },
          field("profile", profileText, `Content-Length: ${profileText.length}`),
        ];
        const headers = library.post.filter((line) => !line.startsWith("Content-Type"));
        const posted = recorded(
          contract,
          await connection.post(`${base}/albums`, formOf(parts), [formType, ...headers]),
        );
        expect(posted).toMatchObject({ status: 200, body: expect.stringMatching(/"imageSize":"67"/) });
        const { albumID } = JSON.parse(posted.body);
        const found = await connection.get(`${base}/albums/${albumID}`, library.get);
        expect(found).toMatchObject({ status: 200, body: '{"artist":"A","title":"T1","year":"2000"}' });
        for (const opinion of ["like", "like", "dislike"]) {
          const path = `${base}/review/${opinion}/${albumID}`;
          expect(recorded(contract, await connection.post(path, "", library.post))).toMatchObject({
            status: 201,
            body: "",
          });
        }
        await vi.waitFor(
          async () =>
            expect(await connection.get(`${base}/review/${albumID}`, library.get)).toMatchObject({
              status: 200,
              body: '{"likes":2,"dislikes":1}',
            }),
          10_000,
        );
      },
    );

    test("pictures come back byte for byte with the type of their bytes, from memory and from their rows", async () => {
      const kinds = [
        ["png", 3475, "image/png"],
        ["jpeg", 67, "application/octet-stream"],
        ["gif", 100_000, "image/png"],
        ["webp", 700_000, "text/html"],
        ["png", partBytesMax, "image/png"],
      ] as const;
      const withoutMemory = open(undefined, 1);
      for (const [kind, length, sentAs] of kinds) {
        const sent = picture(kind, length);
        const albumId = await newAlbum([file("image", sent, sentAs), text]);
        for (const gateway of [connection, withoutMemory]) {
          await vi.waitFor(async () => {
            const { status, headers, bytes } = await gateway.get(`/albums/${albumId}/image`);
            expect([status, headers.get("content-type"), headers.get("x-content-type-options")]).toEqual([
              200,
              `image/${kind}`,
              "nosniff",
            ]);
            expect(bytes.equals(sent)).toBe(true);
          }, 30_000);
        }
      }
      withoutMemory.destroy();
    });

    test("a form in chunks, with a quoted boundary", async () => {
      const body = formOf(plain);
      const half = Math.floor(body.length / 2);
      const type = formType.replace(/boundary=(.*)/, 'charset=utf-8; boundary="$1"');
      await connection.write(chunked("/albums", [body.subarray(0, half), body.subarray(half)], [type]));
      expect(recorded(contract, await connection.response()).status).toBe(200);
    });

    test.each([
      ["no Content-Type and no body", ["Content-Length: 0"]],
      ["application/json and no body", ["Content-Type: application/json", "Content-Length: 0"]],
      ["h2c upgrade headers", ["Content-Length: 0", ...upgrade]],
      ["no length at all", []],
    ])("a review with %s gets 201 and nothing else, right after the album", async (_name, headers) => {
      const { status, body, headers: got } = await review("like", await newAlbum(), headers);
      expect([status, got.get("content-length"), body]).toEqual([201, "0", ""]);
    });

    test("likes and dislikes are counted and ranked", async () => {
      const [one, two] = [await newAlbum(), await newAlbum()];
      expect(await read(`/review/${one}`)).toEqual({ likes: 0, dislikes: 0 });
      for (const [opinion, albumId, times] of [
        ["like", one, 4],
        ["dislike", one, 1],
        ["like", two, 5],
        ["dislike", two, 2],
      ] as const)
        for (let n = 0; n < times; n++) await review(opinion, albumId);
      await vi.waitFor(async () => {
        expect(await read(`/review/${two}`)).toEqual({ likes: 5, dislikes: 2 });
        expect(await read(`/review/${one}`)).toEqual({ likes: 4, dislikes: 1 });
        expect(await read("/albums/top?limit=2")).toEqual({
          by: "likes",
          asOf: expect.stringMatching(/^\d{4}-/),
          albums: [
            { albumID: two, count: 5 },
            { albumID: one, count: 4 },
          ],
        });
        expect((await read("/albums/top?by=dislikes&limit=1")).albums).toEqual([{ albumID: two, count: 2 }]);
      }, 10_000);
    });

    test("a batch is bounded by its bytes: of pictures of 40 kB that arrive together each is a batch", async () => {
      const parts = [file("image", picture("gif", 40_000)), text];
      const posts = Array.from({ length: 40 }, async () => {
        const own = open();
        const { status } = recorded(contract, await own.post("/albums", formOf(parts), [formType]));
        own.destroy();
        return status;
      });
      expect(new Set(await Promise.all(posts))).toEqual(new Set([200]));
      const batches = "SELECT COUNT(*) AS events FROM albums WHERE image_size = 40000 GROUP BY producer, sequence";
      await vi.waitFor(async () => expect(await database().writer.query(batches)).toHaveLength(40), 15_000);
    });

    test("an Idempotency-Key makes a retry the same album, and of a review the same review", async () => {
      const keyed = [formType, "Idempotency-Key: cover-17"];
      const ids = [await newAlbum(plain, keyed), await newAlbum(plain, keyed)];
      const eventId = eventIdOfKey("albums", "cover-17");
      for (const id of ids) {
        expect(id.split(".")[0]).toBe(eventId);
        expect((await connection.get(`/albums/${id}`)).status).toBe(200);
        expect((await connection.get(`/albums/${id}/image`)).status).toBe(200);
      }
      // With the time in the id or without.
      for (const id of [...ids, eventId]) await review("like", id, ["Content-Length: 0", "Idempotency-Key: mine"]);
      const other = await newAlbum();
      await review("like", other, ["Content-Length: 0", "Idempotency-Key: mine"]);
      await vi.waitFor(async () => expect(await read(`/review/${other}`)).toEqual({ likes: 1, dislikes: 0 }), 10_000);
      expect(await read(`/review/${ids[0]}`)).toEqual({ likes: 1, dislikes: 0 });
      const unused = eventIdOfKey("albums", "none");
      expect((await connection.get(`/albums/${unused}`)).status).toBe(404);
    });

    test("a client that sends a picture far over the limit to its end gets 413, and its connection stays open", async () => {
      const body = formOf([file("image", picture("png", partBytesMax + 2_000_000)), text]);
      for (let n = 0; n < 10; n++) {
        const own = open();
        expect(await own.post("/albums", body, [formType])).toMatchObject({
          status: 413,
          body: '{"msg":"body: too large"}',
        });
        await own.write(chunked("/albums", [body], [formType]));
        expect((await own.response()).status).toBe(413);
        expect((await own.get("/albums/top")).status).toBe(200);
        own.destroy();
      }
    });

    test("pictures beyond the share of an address get 503; small ones and other addresses do not, and it ends with them", async () => {
      const path = `/albums/${await newAlbum(large)}/image`;
      const ask = async () => {
        const { status, headers, body } = await fetch(contract.system().url + path);
        await body?.cancel();
        return { status, retry: headers.get("retry-after"), cache: headers.get("cache-control") };
      };
      // The share is 64 MiB: 6 pictures whose clients read the first line only.
      const { hostname, port } = new URL(contract.system().url);
      const stalled = Array.from({ length: 7 }, () => connect(Number(port), hostname));
      const firstLines = stalled.map(async (one) => {
        one.write(`GET ${path} HTTP/1.1\r\nHost: tally\r\n\r\n`);
        await once(one, "readable");
        return String(one.read(12));
      });
      expect((await Promise.all(firstLines)).toSorted()).toEqual([
        ...Array<string>(6).fill("HTTP/1.1 200"),
        "HTTP/1.1 503",
      ]);
      expect(await ask()).toEqual({ status: 503, retry: "1", cache: null });
      const other = open("127.0.0.2");
      expect((await other.get(path)).bytes).toHaveLength(partBytesMax);
      other.destroy();
      expect((await connection.get(`/albums/${await newAlbum()}/image`)).status).toBe(200);
      for (const one of stalled) one.destroy();
      await vi.waitFor(async () => expect((await ask()).status).toBe(200), 15_000);
    });
  });
}
