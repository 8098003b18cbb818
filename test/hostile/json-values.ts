import { asks, bad, created, shown, stores, type HttpCase } from "../http/cases.ts";
import { post, rideBody, saleBody, salePath, swipeBody } from "../http/requests.ts";
import { ride, sale, swipe, type StoredContent } from "../http/stored.ts";

/** A field of a JSON body: its name in errors, its route, and the body with `value` in its place. */
interface Field {
  readonly name: string;
  readonly path: (n: number) => string;
  readonly body: (n: number, value: string) => string;
  /** What is stored for a valid number; absent where another field of the route shows it. */
  readonly stores?: (n: number, value: number) => StoredContent;
}

const rides = (): string => "/skiers/liftrides";
const left = (): string => "/swipe/left";
const season = (n: number): string => `/skiers/silverMt/seasons/2026/days/1/skiers/${n}`;
const inRide = (found: string) => (n: number, value: string) => rideBody(n).replace(found.replace("N", `${n}`), value);

const fields: readonly Field[] = [
  {
    name: "items[0].ItemID",
    path: salePath,
    body: (_, value) => saleBody.replace('"85571"', value),
    stores: (n, id) => sale(n, { items: [[id, 3]] }),
  },
  {
    name: "swipee",
    path: left,
    body: (n, value) => swipeBody(n).replace('"2"', value),
    stores: (n, swipee) => swipe(n, { swipee }),
  },
  { name: "skierID", path: rides, body: inRide('"N"') },
  { name: "time", path: rides, body: inRide('"408"'), stores: (n, minute) => ride(n, { minute }) },
  { name: "liftID", path: rides, body: inRide('"27"'), stores: (n, lift) => ride(n, { lift }) },
  {
    name: "liftID",
    path: season,
    body: (_, value) => `{"time":408,"liftID":${value}}`,
    stores: (n, lift) => ride(n, { season: 2026, lift }),
  },
];

const badNumbers = `-1 1.5 1e300 1e400 -1e400 9007199254740992 null true [1] {"$gt":0} "" "abc" "1\\u0000" "٣" "1'OR'1"`;
// Where numbers may be texts too, texts are tested on one field of each route.
const badTexts = String.raw`"1\n" "-1" "+1" "0x10" "1e1" "9007199254740992" "${"9".repeat(5000)}"`;
const goodNumbers = { "0": 0, "-0": 0, "1.0": 1, "10e-1": 1, '"0017"': 17 };

const rejectedNumbers = fields.flatMap(({ name, path, body, stores: stored }, index): readonly HttpCase[] => {
  const escaped = name.replaceAll(/[.[\]]/g, String.raw`\$&`);
  const values = stored === undefined ? badNumbers : `${badNumbers} ${badTexts}`;
  return values.split(" ").map((value) => {
    // "got null" for anything else would hide what was sent.
    const got = value === "null" ? ".*got null" : "(?!.*got null)";
    const text = new RegExp(`^${escaped}: expected (a|an) ${got}`);
    return asks(`${shown(value)} as ${name} (${index})`, (n) => post(path(n), body(n, value)), bad(text));
  });
});

const storedNumbers = fields.flatMap(({ name, path, body, stores: stored }, index): readonly HttpCase[] =>
  Object.entries(stored === undefined ? {} : goodNumbers).map(([value, number]) =>
    stores(
      `${value} as ${name} (${index}) is stored`,
      (n) => post(path(n), body(n, value)),
      created,
      (n) => stored?.(n, number) ?? [],
    ),
  ),
);

const swipeWith = (n: number, comment: string): Buffer =>
  post(
    "/swipe/right",
    swipeBody(n).replace('"hello"', () => comment),
  );
const rideAt = (n: number, resort: string): Buffer =>
  post(
    rides(),
    rideBody(n).replace('"silverMt"', () => resort),
  );
const badComments = [`"${"x".repeat(257)}"`, "5", "null", '["x"]', String.raw`"\udf00\ud83c"`, String.raw`"a\u0000b"`];
const comments = ["", "🎿".repeat(256), "'\"\\\n\r\t%_`;-- ü", "\u0001", "\u200e\u202e\ufeff", "e\u0301 is not \u00e9"];
const noResorts = ["", "x".repeat(65), " x", "x ", "a\nb", "a\0b", "\u200b", "\ud800", "x\u0007"];
const resorts = ["x".repeat(64), "🎿".repeat(32), "a b", "../../etc/passwd", "%00", "Zürich", "ZÜRICH", "a/b"];

const texts: readonly HttpCase[] = [
  ...badComments.map((comment) =>
    asks(
      `the comment ${shown(comment)} is rejected`,
      (n) => swipeWith(n, comment),
      bad(/^comment: expected a text of at most 256 characters, none of them U\+0000, got /),
    ),
  ),
  ...[...comments, "'); DROP TABLE swipes; --", "${jndi:ldap://tally/x}", " both ends ", "\u{10ffff}"].map((comment) =>
    stores(
      `the comment ${shown(comment)} is stored as it is`,
      (n) => swipeWith(n, JSON.stringify(comment)),
      created,
      (n) => swipe(n, { comment, liked: 1 }),
    ),
  ),
  ...[...noResorts.map((text) => JSON.stringify(text)), "1e400", "-1", "null", "{}", "1.5"].map((resort) =>
    asks(`the resort ${shown(resort)} is rejected`, (n) => rideAt(n, resort), bad(/^resortID: expected a resort/)),
  ),
  ...resorts.map((resort) =>
    stores(
      `the resort ${shown(resort)} is stored as it is`,
      (n) => rideAt(n, JSON.stringify(resort)),
      created,
      (n) => ride(n, { resort }),
    ),
  ),
];

const wholes: readonly HttpCase[] = (
  [
    [rides, rideBody, /^(resortID|dayID|skierID|time|liftID): expected /],
    [season, () => '{"time":"408","liftID":"27"}', /^(time|liftID): expected /],
    [left, (n: number) => swipeBody(n), /^(swiper|swipee): expected /],
  ] as const
).flatMap(([path, body, missing], index) => [
  asks(`nothing in route ${index}`, (n) => post(path(n), ""), bad(/^body: expected /)),
  asks(`an empty object in route ${index}`, (n) => post(path(n), "{}"), bad(missing)),
  asks(`a list in route ${index}`, (n) => post(path(n), `[${body(n)}]`), bad(/^body: expected /)),
  asks(`another field in route ${index}`, (n) => post(path(n), body(n).replace("{", '{"super":1,')), bad(/^super: /)),
]);

const minutes = ["1441", '"1441"'].map((minute) =>
  asks(`the minute ${minute}`, (n) => post(rides(), inRide('"408"')(n, minute)), bad(/^time: expected .*1440/)),
);

export const jsonValues: readonly HttpCase[] = [...rejectedNumbers, ...storedNumbers, ...texts, ...wholes, ...minutes];
