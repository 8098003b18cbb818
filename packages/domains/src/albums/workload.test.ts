import { eventIdOfKey } from "@tally/contract";
import { expect, test } from "vitest";
import { parseAlbumId } from "./album-lookup.ts";
import { imageTypeOf } from "./image.ts";
import { workload } from "./workload.ts";

const { runs } = workload.source;
const groupsOf = (run: number, scale: number) => runs[run]?.groups(scale) ?? [];
const half = () => 0.5;

test("groups of 10 threads start every two seconds", () => {
  const groups = groupsOf(2, 1);
  expect(groups).toHaveLength(30);
  expect(new Set(groups.map(({ connections }) => connections))).toEqual(new Set([10]));
  expect(groups.slice(0, 3).map(({ startsAfterSeconds }) => startsAfterSeconds)).toEqual([0, 2, 4]);
  expect(groupsOf(0, 0.1)[5]?.startsAfterSeconds).toBe(1);
});

test("a thread posts an album and then reads it", () => {
  const [group] = groupsOf(0, 1);
  const requests = ["x", "y"].map((eventId, n) => group?.request(0, n, half, { eventId }));
  expect(requests).toMatchObject([
    { method: "POST", path: "/albums", contentType: expect.stringContaining("multipart/form-data") },
    { method: "GET", path: "/albums/y" },
  ]);
});

test("later in the series a thread likes it twice and dislikes it once, and readers get the reviews of random albums", () => {
  const groups = groupsOf(5, 1);
  expect(groups).toHaveLength(31);
  const [threads, second, readers] = [groups[0], groups[1], groups.at(-1)];
  expect([threads?.connections, second?.startsAfterSeconds]).toEqual([10, 2]);
  expect(threads?.requestsOfEach).toBe(400);
  const paths = [undefined, "album", "review", "review"].map(
    (eventId, n) => threads?.request(7, n, half, { eventId }).path,
  );
  expect(paths).toEqual(["/albums", "/review/like/album", "/review/like/album", "/review/dislike/album"]);
  expect(readers?.connections).toBe(3);
  expect(readers?.request(0, 0, half, {})).toMatchObject({ method: "GET", path: "/review/album" });
});

test("a review names its album also by an id without a time", () => {
  const keyed = eventIdOfKey("albums", "k");
  const now = Date.now();
  const { method, path, units } = workload.followUp?.(half, keyed, now) ?? {};
  expect([method, units]).toEqual(["POST", 1]);
  const [, opinion, albumId = ""] = path?.slice(1).split("/") ?? [];
  expect(["like", "dislike"]).toContain(opinion);
  expect(parseAlbumId(albumId)).toEqual({ eventId: keyed, acceptedAtMs: now });
});

test("images have the wanted size: 67 bytes by default", () => {
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
