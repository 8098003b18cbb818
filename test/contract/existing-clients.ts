import { created, inTurn, ok, rejected, stepsAccepted, stores, type HttpCase } from "../http/cases.ts";
import { get, keyed, post, upgrade } from "../http/requests.ts";
import { ride, sale, steps, swipe } from "../http/stored.ts";

/*
 * The requests of the sources' own load generators: paths, bodies and headers as their HTTP libraries write them
 * (contract, section 0).
 */

/** The base paths that their servers had. */
export const clientBasePaths = "/superMarketServer_war,/remoteServer_war/,/a3-backend,/assignment-java-server_war";

const agent = "User-Agent: Swagger-Codegen/1.0.0/java";
const keepAlive = ["Connection: Keep-Alive", "Accept-Encoding: gzip"];

/** `post`: the headers of a POST with JSON, or with an empty body. */
export const libraries = [
  {
    name: "a generated client on OkHttp",
    post: ["Accept: application/json", "Content-Type: application/json; charset=utf-8", agent, ...keepAlive],
    // It sends a type without a body.
    get: ["Accept: application/json", "Content-Type: application/json", agent, ...keepAlive],
  },
  {
    name: "Java's HttpClient",
    // No Content-Type at all.
    post: [...upgrade, "User-Agent: Java-http-client/17.0.6"],
    get: [...upgrade, "User-Agent: Java-http-client/17.0.6"],
  },
  {
    name: "Apache's HttpClient",
    post: [
      "Content-Type: application/json; charset=UTF-8",
      "User-Agent: Apache-HttpClient/4.5.13 (Java/17.0.6)",
      ...keepAlive,
    ],
    get: ["User-Agent: Apache-HttpClient/4.5.13 (Java/17.0.6)", ...keepAlive],
  },
];

const jersey = [
  "User-Agent: Jersey/2.27 (HttpUrlConnection 1.8.0_181)",
  // As HttpURLConnection writes it; "*" is no media range.
  "Accept: text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2",
  "Connection: keep-alive",
];

/** S1: text in, text out, all values in the path. */
const s1 = ["/steps", "/a3-backend"].map((base) =>
  stores(
    `S1's client on Jersey, from ${base}`,
    (n) =>
      inTurn(
        post(`${base}/${n}/1/3/250`, "", ["Content-Type: text/plain", ...jersey]),
        post(`${base}/${n + 500_000}/1/3/11`, "", ["Content-Type: text/plain", ...jersey]),
        get(`${base}/current/${n}`, jersey),
        get(`${base}/single/${n + 500_000}/1`, jersey),
        post(`${base}/${n}/1/4/9`, "", ["Content-Type: text/plain", ...jersey]),
      ),
    [stepsAccepted, stepsAccepted, ok(200, /^\d+$/), ok(200, /^\d+$/), stepsAccepted],
    (n) => [
      steps(n, { day: 1, hour: 3 }),
      steps(n + 500_000, { day: 1, hour: 3, steps: 11 }),
      steps(n, { day: 1, hour: 4, steps: 9 }),
    ],
    (n) => [
      [`${base}/current/${n}`, "259"],
      [`${base}/single/${n + 500_000}/1`, "11"],
    ],
  ),
);

/** S2: the paths end in a slash. */
const s2 = libraries.map(({ name, ...headers }) =>
  stores(
    `S2's client on ${name}`,
    (n) =>
      inTurn(
        post("/a3-backend/swipe/right/", `{"swiper":"${n}","swipee":"7","comment":"abc"}`, headers.post),
        post("/a3-backend/swipe/left/", `{"swiper":"${n}","swipee":"8","comment":"abc"}`, headers.post),
        get(`/a3-backend/matches/${n}/`, headers.get),
        get(`/a3-backend/stats/${n}/`, headers.get),
      ),
    [created, created, ok(200, /^\{"matchList":\[/), ok(200, /^\{"numLlikes":\d,"numLikes":\d,"numDislikes":\d\}$/)],
    (n) => [swipe(n, { swipee: 7, liked: 1, comment: "abc" }), swipe(n, { swipee: 8, liked: 0, comment: "abc" })],
    (n) => [
      [`/a3-backend/matches/${n}/`, { matchList: ["7"] }],
      [`/a3-backend/stats/${n}/`, { numLlikes: 1, numLikes: 1, numDislikes: 1 }],
    ],
  ),
);

// The base path ends in a slash, and the generated client adds one.
const s3Base = "/remoteServer_war/";
const rides = `${s3Base}/skiers/liftrides`;
const rideBody = (n: number, skier = ""): string =>
  `{"resortID":"silverMt${n}","dayID":"1",${skier}"time":"408","liftID":"27"}`;
const rideRow = (n: number, skier: number | null) => ride(n, { resort: `silverMt${n}`, skier });
const total = (n: number, totalVert: number): object => ({ resortID: `silverMt${n}`, totalVert });

/** S3's first client leaves `skierID` out (its server read no field and stored nothing), the later one names the skier.
 */
const s3 = libraries.map(({ name, ...headers }) =>
  stores(
    `S3's clients on ${name}: equal rides of unknown skiers are several rides, which count for no skier`,
    (n) =>
      inTurn(
        post(rides, rideBody(n), headers.post),
        post(rides, rideBody(n), headers.post),
        post(rides, rideBody(n, '"skierID":"2",'), headers.post),
        get(`${s3Base}/skiers/silverMt${n}/days/1/skiers/2`, headers.get),
        get(`${s3Base}/skiers/2/vertical?resort=silverMt${n}`, headers.get),
      ),
    [created, created, created, ok(200, /"totalVert":\d+/), ok(200, /"totalVert":\d+/)],
    (n) => [rideRow(n, null), rideRow(n, null), rideRow(n, 2)],
    (n) => [
      [`/skiers/silverMt${n}/days/1/skiers/2`, total(n, 270)],
      [`/skiers/0/vertical?resort=silverMt${n}`, total(n, 0)],
      [`/resort/day/top10vert?resort=silverMt${n}&dayID=1`, { topTenSkiers: [{ skierID: "2", VertcialTotal: 270 }] }],
    ],
  ),
);

const unknownSkiers: readonly HttpCase[] = [
  stores(
    "an Idempotency-Key makes a retry the same ride of an unknown skier, with other content it gets 422",
    (n) =>
      inTurn(
        post(rides, rideBody(n), keyed(`a${n}`)),
        post(rides, rideBody(n), keyed(`a${n}`)),
        post("/skiers/liftrides", rideBody(n), keyed(`b${n}`)),
        post(rides, rideBody(n).replace("408", "409"), keyed(`a${n}`)),
      ),
    [created, created, created, rejected(422, /Idempotency-Key/i)],
    (n) => [rideRow(n, null), rideRow(n, null), rideRow(n, null)],
  ),
  stores(
    "no key of a ride of an unknown skier leads to a skier's ride",
    (n) =>
      inTurn(
        // What the id of the skier's ride is made of.
        post(rides, rideBody(n), keyed(`0/1/2/408/27/silverMt${n}`)),
        post(rides, rideBody(n, '"skierID":"2",')),
      ),
    [created, created],
    (n) => [rideRow(n, null), rideRow(n, 2)],
    (n) => [[`/skiers/silverMt${n}/days/1/skiers/2`, total(n, 270)]],
  ),
];

/** S4: the model that was generated has a colon in its key. */
const s4Base = "/superMarketServer_war";
const s4 = libraries.map(({ name, ...headers }) =>
  stores(
    `S4's client on ${name}`,
    (n) =>
      inTurn(
        post(
          `${s4Base}/purchase/${n}/customer/${n * 1000 + 999}/date/20210101`,
          '{"items":[{"ItemID":"85571","numberOfItems:":1},{"ItemID":"3","numberOfItems:":1}]}',
          headers.post,
        ),
        get(`${s4Base}/items/store/${n}`, headers.get),
        get(`${s4Base}/items/top5/${n}`, headers.get),
        get(`${s4Base}/items/top10/${n}`, headers.get),
      ),
    [created, ok(200, /^\{"stores":\[/), ok(200, '{"stores":[]}'), ok(200, '{"stores":[]}')],
    (n) => {
      const items = [[85571, 1] as const, [3, 1] as const];
      return sale(n, { customer: n * 1000 + 999, date: "20210101", items });
    },
    (n) => {
      const sold = [3, 85571].map((itemID) => ({ itemID, numberOfItems: 1 }));
      return [[`${s4Base}/items/store/${n}`, { stores: sold }]];
    },
  ),
);

/** Clients of S1 to S4; a client of S0 needs the id in its response, see albums.ts. */
export const existingClients: readonly HttpCase[] = [...s1, ...s2, ...s3, ...unknownSkiers, ...s4];
