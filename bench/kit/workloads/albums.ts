import { albumIdOf } from "@tally/domains";
import { scaled } from "./workload.ts";
import type { ClientRequest, RequestContext, SourceGroup, SourceRun, Workload } from "./workload.ts";

// The smallest possible PNG, of one pixel; the contract also names one of 3,475 bytes.
const dot = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABAQAAAAA3bvkkAAAACklEQVR42mNgAAAAAgAB5Sfe/AAAAABJRU5ErkJggg==",
  "base64",
);
const coverBytes = 3475;

const groupCounts = [10, 20, 30];

/** A connection posts an album and then reads it, as the source does; without a context it posts only. Reads are the
 * two rankings. Albums count on no board. */
export const workload = {
  domain: "albums",
  next: (random, _spread, { eventId, contentBytes = dot.length } = {}) =>
    eventId === undefined ? newAlbum(random, imagePartOf(contentBytes)) : albumOf(eventId),

  followUp(random, eventId, atMs) {
    const liked = random() < 0.5;
    const content = () => ({ kind: "review", albumId: eventId, liked });
    return { ...reviewOf(albumIdOf(eventId, atMs), liked ? "like" : "dislike"), content };
  },

  read: (random) => (random() < 0.5 ? "/albums/top?by=likes" : "/albums/top?by=dislikes"),

  // The schema accepts any bytes; the table rejects an empty image.
  poison: { kind: "album", artist: "A", title: "T", year: "2000", imageType: "image/png", image: Buffer.alloc(0) },

  source: { name: "S0", runs: [...groupCounts.map(albumsAlone), ...groupCounts.map(albumsAndReviews)] },
} satisfies Workload;

const roundsOfThread = 1000;
const roundsOfWarmUp = 100;

function albumsAlone(groups: number): SourceRun {
  const group = (number: number, rounds: number, scale: number): SourceGroup => ({
    ...startOf(number, scale),
    requestsOfEach: 2 * scaled(rounds, scale),
    request: (_connection, n, random, { eventId } = {}) => (n % 2 === 0 ? newAlbum(random, cover) : albumOf(eventId)),
  });
  return {
    description: `${groups} groups`,
    groups: (scale) => Array.from({ length: groups }, (_, number) => group(number, roundsOfThread, scale)),
    warmUp: (scale) => [group(0, roundsOfWarmUp, scale)],
  };
}

function startOf(number: number, scale: number) {
  return {
    name: `group ${number}`,
    connections: 10,
    // Scaled too; otherwise a short run mostly waits for groups to start.
    startsAfterSeconds: number * 2 * scale,
  };
}

/** Later in the series: each thread posts an album, likes it twice and dislikes it once; three readers get reviews of
 * random albums. */
function albumsAndReviews(count: number): SourceRun {
  return { description: `${count} groups, albums and reviews`, groups: (scale) => reviewing(count, scale) };
}

function reviewing(count: number, scale: number): readonly SourceGroup[] {
  const requestsOfEach = 4 * scaled(100, scale);
  const albums: string[] = [];
  const groups = Array.from({ length: count }, (_, number): SourceGroup => {
    const newest: string[] = [];
    return {
      ...startOf(number, scale),
      requestsOfEach,
      request(connection, n, random, { eventId } = {}) {
        const step = n % 4;
        if (step === 0) return newAlbum(random, cover);
        if (step === 1) albums.push((newest[connection] = eventId ?? "none"));
        return reviewOf(newest[connection], step === 3 ? "dislike" : "like");
      },
    };
  });
  return [
    ...groups,
    {
      name: "readers",
      connections: 3,
      requestsOfEach,
      startsAfter: { group: "group 0", connections: 1, responses: 2 },
      request: (_connection, _n, random) => ({
        method: "GET",
        path: `/review/${albums[Math.floor(random() * albums.length)]}`,
      }),
    },
  ];
}

function reviewOf(albumId: string | undefined, opinion: "like" | "dislike"): ClientRequest {
  return { method: "POST", path: `/review/${opinion}/${albumId}`, units: 1 };
}

function albumOf(eventId: RequestContext["eventId"]): ClientRequest {
  // After a failed POST the GET fails too; the source's client counts it so.
  return { method: "GET", path: `/albums/${eventId ?? "none"}` };
}

const boundary = "----tally3x7Qm9";
const contentType = `multipart/form-data; boundary=${boundary}`;
const imageHead = Buffer.from(
  `--${boundary}\r\nContent-Disposition: form-data; name="image"; filename="cover.png"\r\n` +
    "Content-Type: image/png\r\n\r\n",
);
const imageParts = new Map<number, Buffer>();

/** Made once for each size. */
function imagePartOf(bytes: number): Buffer {
  return imageParts.getOrInsertComputed(bytes, () => {
    const filler = Buffer.alloc(Math.max(0, bytes - dot.length), "tally");
    return Buffer.concat([imageHead, dot, filler]);
  });
}
const cover = imagePartOf(coverBytes);

/** Half of the profiles in each of their two forms. */
function newAlbum(random: () => number, imagePart: Buffer): ClientRequest {
  const artist = `Artist ${Math.floor(random() * 10_000)}`;
  const year = String(1950 + Math.floor(random() * 75));
  return albumWith({ artist, title: "Title", year }, imagePart, random() < 0.5);
}

function albumWith(
  fields: Readonly<Record<"artist" | "title" | "year", string>>,
  imagePart: Buffer,
  isJson: boolean,
): ClientRequest {
  const { artist, title, year } = fields;
  const profile = isJson
    ? JSON.stringify(fields)
    : `class AlbumsProfile {\n    artist: ${artist}\n    title: ${title}\n    year: ${year}\n}`;
  const head = `\r\n--${boundary}\r\nContent-Disposition: form-data; name="profile"\r\n\r\n`;
  return {
    method: "POST",
    path: "/albums",
    body: Buffer.concat([imagePart, Buffer.from(`${head}${profile}\r\n--${boundary}--\r\n`)]),
    contentType,
    units: 0,
    content: () => ({ kind: "album", ...fields, imageType: "image/png", image: imagePart.subarray(imageHead.length) }),
    other: () => albumWith({ ...fields, title: `${title} 2` }, imagePart, isJson),
  };
}
