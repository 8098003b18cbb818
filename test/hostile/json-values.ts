import { asks, created, post, refused, stores, type HttpCase } from "../http/http-case.ts";
import { ride, rideBody, sale, saleBody, salePath, swipe, swipeBody } from "../http/sample-requests.ts";
import type { StoredContent } from "../http/stored-content.ts";

/** A field of a JSON body: where it occurs in a valid one, and how its errors name it. */
interface Field {
  readonly name: string;
  readonly path: string | ((n: number) => string);
  /** The body with `value` in place of the field's. */
  readonly body: (n: number, value: string) => string;
  /** Its name in errors. Default: `name`. */
  readonly inErrors?: string;
  /** What is stored for a valid number; absent where other cases test valid values. */
  readonly stores?: (n: number, value: number) => StoredContent;
}

const rides = "/skiers/liftrides";
const season = (n: number): string => `/skiers/silverMt/seasons/2026/days/1/skiers/${n}`;
const inRide =
  (found: string) =>
  (n: number, value: string): string =>
    rideBody(n).replace(found.replace("N", String(n)), value);

const fields: readonly Field[] = [
  {
    name: "items[0].ItemID",
    path: salePath,
    body: (_, value) => saleBody.replace('"85571"', value),
    stores: (n, item) => sale(n, { items: [[item, 3]] }),
  },
  { name: "items[0].numberOfItems", path: salePath, body: (_, value) => saleBody.replace(":3", `:${value}`) },
  { name: "swiper", path: "/swipe/left", body: (n, value) => swipeBody(n).replace(`"${n}"`, value) },
  {
    name: "swipee",
    path: "/swipe/left",
    body: (n, value) => swipeBody(n).replace('"2"', value),
    stores: (n, swipee) => swipe(n, { swipee }),
  },
  {
    name: "dayID",
    path: rides,
    body: (n, value) => rideBody(n).replace('"dayID":"1"', `"dayID":${value}`),
    stores: (n, day) => ride(n, { day }),
  },
  { name: "skierID", path: rides, body: inRide('"N"') },
  { name: "time", path: rides, body: inRide('"408"'), stores: (n, minute) => ride(n, { minute }) },
  { name: "liftID", path: rides, body: inRide('"27"'), stores: (n, lift) => ride(n, { lift }) },
  { name: "time of a season", inErrors: "time", path: season, body: (_, value) => `{"time":${value},"liftID":27}` },
  {
    name: "liftID of a season",
    inErrors: "liftID",
    path: season,
    body: (_, value) => `{"time":408,"liftID":${value}}`,
    stores: (n, lift) => ride(n, { season: 2026, lift }),
  },
];

const badNumbers: readonly (readonly [name: string, json: string])[] = [
  ["a negative number", "-1"],
  ["a fraction", "1.5"],
  ["1e300", "1e300"],
  ["1e400", "1e400"],
  ["-1e400", "-1e400"],
  ["2^53", "9007199254740992"],
  ["null", "null"],
  ["true", "true"],
  ["a list", "[1]"],
  ["an object", '{"$gt":0}'],
  ["an empty text", '""'],
  ["a word", '"abc"'],
  ["a text with a NUL", String.raw`"1\u0000"`],
  ["digits of another script", '"٣"'],
  ["SQL", `"1' OR '1'='1"`],
];
const badTexts: typeof badNumbers = [
  ["a text with a space", '" 1"'],
  ["a text with a sign", '"-1"'],
  ["a text with a plus", '"+1"'],
  ["a text in hexadecimal", '"0x10"'],
  ["a text with an exponent", '"1e1"'],
  ["a text beyond 2^53", '"9007199254740992"'],
  ["a text of 5,000 digits", `"${"9".repeat(5000)}"`],
  ["a text with a line end", String.raw`"1\n"`],
];
const goodNumbers = [
  ["0", 0],
  ["-0", 0],
  ["1.0", 1],
  ["10e-1", 1],
  ['"0017"', 17],
] as const;

const pathOf = ({ path }: Field, n: number): string => (typeof path === "string" ? path : path(n));

const rejectedNumbers = fields.flatMap((field): readonly HttpCase[] => {
  const { name, body, inErrors = name } = field;
  const escaped = inErrors.replaceAll(/[.[\]]/g, String.raw`\$&`);
  // Where numbers may be texts too, texts are tested on one field of each route.
  const bad = field.stores === undefined ? badNumbers : badNumbers.concat(badTexts);
  return bad.map(([value, text]) => {
    // "got null" for anything else would hide what was sent.
    const got = value === "null" ? ".*got null" : "(?!.*got null)";
    return asks(
      `${value} as ${name} is rejected`,
      (n) => post(pathOf(field, n), body(n, text)),
      refused(400, new RegExp(`^${escaped}: expected (a|an) ${got}`)),
    );
  });
});

const storedNumbers = fields.flatMap((field): readonly HttpCase[] => {
  const { name, body, stores: stored } = field;
  if (stored === undefined) return [];
  return goodNumbers.map(([text, value]) =>
    stores(
      `${text} as ${name} is stored as ${value}`,
      (n) => post(pathOf(field, n), body(n, text)),
      created,
      (n) => stored(n, value),
    ),
  );
});

const swipeWith = (n: number, comment: string): Buffer =>
  post("/swipe/right", swipeBody(n).replace('"hello"', comment));

const comments: readonly HttpCase[] = [
  ...[
    `"${"x".repeat(257)}"`,
    "5",
    "null",
    '["x"]',
    String.raw`"\ud83c"`,
    String.raw`"\udf00\ud83c"`,
    String.raw`"a\u0000b"`,
  ].map((comment) =>
    asks(
      `the comment ${comment.slice(0, 40)} is rejected`,
      (n) => swipeWith(n, comment),
      refused(400, /^comment: expected a text of at most 256 characters, none of them U\+0000, got /),
    ),
  ),
  ...[
    "",
    "🎿".repeat(256),
    "'\"\\\n\r\t%_`;-- ü",
    "\u0001",
    "'); DROP TABLE swipes; --",
    "\u200e\u202e\ufeff",
    "e\u0301 is not \u00e9",
    "<script>alert(1)</script>",
    "${jndi:ldap://tally/x}",
    " both ends ",
    "\u{10ffff}",
  ].map((comment) =>
    stores(
      `the comment ${JSON.stringify(comment).slice(0, 40)} is stored as it is`,
      (n) => swipeWith(n, JSON.stringify(comment)),
      created,
      (n) => swipe(n, { comment, liked: true }),
    ),
  ),
];

const rideAt = (n: number, resort: string): Buffer => post(rides, rideBody(n).replace('"silverMt"', resort));

const badResorts = ["", "x".repeat(65), " x", "x ", "a\nb", "a\0b", "\u200b", "\ud800", "x\u0007"];

const resorts: readonly HttpCase[] = [
  ...[...badResorts.map((text) => JSON.stringify(text)), "1e400", "-1", "null", "{}", "1.5"].map((resort) =>
    asks(
      `the resort ${resort.slice(0, 30)} is rejected`,
      (n) => rideAt(n, resort),
      refused(400, /^resortID: expected a resort/),
    ),
  ),
  ...["x".repeat(64), "🎿".repeat(32), "a b", "../../etc/passwd", "%00", "Zürich", "ZÜRICH", "a/b"].map((resort) =>
    stores(
      `the resort ${resort.slice(0, 30)} is stored as it is`,
      (n) => rideAt(n, JSON.stringify(resort)),
      created,
      (n) => ride(n, { resort }),
    ),
  ),
];

const bodies: readonly HttpCase[] = (
  [
    ["a ride", () => rides, rideBody, /^(resortID|dayID|skierID|time|liftID): expected /],
    ["a ride of a season", season, () => '{"time":"408","liftID":"27"}', /^(time|liftID): expected /],
    ["a swipe", () => "/swipe/left", (n: number) => swipeBody(n), /^(swiper|swipee): expected /],
  ] as const
).flatMap(([name, path, body, missing]) => {
  const changes: readonly (readonly [what: string, change: (text: string) => string, text: RegExp])[] = [
    ["an empty object", () => "{}", missing],
    ["nothing", () => "", /^body: expected /],
    ["a list", (text) => `[${text}]`, /^body: expected /],
    ["an unknown field", (text) => text.replace("{", '{"super":1,'), /^super: expected no such field/],
    ["the minute 1441", (text) => text.replace(/"408"/, "1441"), /^time: expected .*1440/],
    ["the minute 1441 as a text", (text) => text.replace(/408/, "1441"), /^time: expected .*1440/],
  ];
  return changes
    .slice(0, name === "a swipe" ? 4 : changes.length)
    .map(([what, change, text]) =>
      asks(`${what} in ${name} is rejected`, (n) => post(path(n), change(body(n))), refused(400, text)),
    );
});

/** Values of the fields of every JSON body. */
export const jsonValues: readonly HttpCase[] = [
  ...rejectedNumbers,
  ...storedNumbers,
  ...comments,
  ...resorts,
  ...bodies,
];
