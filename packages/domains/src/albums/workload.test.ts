import { eventIdOfKey } from "@tally/pipeline";
import { expect, test } from "vitest";
import { parseAlbumId } from "./album-id.ts";
import { imageTypeOf } from "./image-type.ts";
import { workload } from "./workload.ts";

const { runs } = workload.source;
const groupsOf = (run: number, scale: number) => runs[run]?.groups(scale) ?? [];
const total = (groups: ReturnType<typeof groupsOf>): number =>
  groups.reduce((sum, { connections, requestsOfEach }) => sum + connections * requestsOfEach, 0);
const half = () => 0.5;

test("the source's load has exactly as many requests as the contract's formula says, and a warm-up before", () => {
  for (const [run, groups] of [10, 20, 30].entries()) {
    expect(total(groupsOf(run, 1))).toBe(20_000 * groups);
    expect(total(groupsOf(run, 0.1))).toBe(2000 * groups);
    expect(total(runs[run]?.warmUp?.(1) ?? [])).toBe(10 * 100 * 2);
  }
});

test("groups of 10 threads start every two seconds", () => {
  const groups = groupsOf(2, 1);
  expect(groups).toHaveLength(30);
  expect(new Set(groups.map(({ connections }) => connections))).toEqual(new Set([10]));
  expect(groups.slice(0, 3).map(({ startsAfterSeconds }) => startsAfterSeconds)).toEqual([0, 2, 4]);
  expect(groupsOf(0, 0.1)[5]?.startsAfterSeconds).toBe(1);
});

test("a thread posts an album and then asks for it", () => {
  const [group] = groupsOf(0, 1);
  const requests = ["x", "y"].map((eventId, n) => group?.request(0, n, half, { eventId }));
  expect(requests).toMatchObject([
    { method: "POST", path: "/albums", contentType: expect.stringContaining("multipart/form-data") },
    { method: "GET", path: "/albums/y" },
  ]);
});

test("later in the series it likes it twice and dislikes it once, and readers ask for the reviews of any", () => {
  const [threads, readers] = groupsOf(3, 1);
  expect(threads?.requestsOfEach).toBe(400);
  const paths = [undefined, "album", "review", "review"].map(
    (eventId, n) => threads?.request(7, n, half, { eventId }).path,
  );
  expect(paths).toEqual(["/albums", "/review/like/album", "/review/like/album", "/review/dislike/album"]);
  expect(readers?.connections).toBe(3);
  expect(readers?.request(0, 0, half, {})).toMatchObject({ method: "GET", path: "/review/album" });
});

test("a review finds its album also by an id that does not tell its time", () => {
  const keyed = eventIdOfKey("albums", "k");
  const now = Date.now();
  const { method, path, units } = workload.followUp?.(half, keyed, now) ?? {};
  expect([method, units]).toEqual(["POST", 1]);
  const [, opinion, albumId = ""] = path?.slice(1).split("/") ?? [];
  expect(["like", "dislike"]).toContain(opinion);
  expect(parseAlbumId(albumId)).toEqual({ eventId: keyed, acceptedAtMs: now });
});

test("pictures are of the size that is wanted: 67 bytes and a whole picture, or more", () => {
  for (const [contentBytes, expected] of [
    [undefined, 67],
    [100_000, 100_000],
  ] as const) {
    const { body } = workload.next(half, "wide", { contentBytes });
    const form = Buffer.isBuffer(body) ? body : Buffer.alloc(0);
    const start = form.indexOf("\r\n\r\n") + 4;
    const picture = form.subarray(start, form.indexOf("\r\n------tally", start));
    expect(picture).toHaveLength(expected);
    expect(imageTypeOf(picture)).toBe("image/png");
  }
});
