import { created, post, refused, answered, type HostileCase } from "./hostile-case.ts";
import { entry, ride, rideBody, sale, saleBody, salePath, swipe, swipeBody } from "./sample-requests.ts";
import type { StoredContent } from "./stored-content.ts";

/** A field of a JSON body: where it stands in a valid one, and how its errors name it. */
interface Field {
  readonly name: string;
  readonly path: (n: number) => string;
  /** The body with `value` in place of the field's. */
  readonly body: (n: number, value: string) => string;
  readonly says?: string;
  /** What is stored for a valid number; absent: valid values are other cases'. */
  readonly stores?: (n: number, value: number) => StoredContent;
}

const escape = (text: string): string => text.replaceAll(/[.[\]]/g, String.raw`\$&`);

const fields: readonly Field[] = [
  {
    name: "items[0].ItemID",
    path: salePath,
    body: (_, value) => saleBody.replace('"85571"', value),
    stores: (n, item) => ({ ...sale(n), items: [[item, 3]] }),
  },
  { name: "items[0].numberOfItems", path: salePath, body: (_, value) => saleBody.replace(":3", `:${value}`) },
  { name: "swiper", path: () => "/swipe/left", body: (n, value) => swipeBody(n).replace(`"${n}"`, value) },
  {
    name: "swipee",
    path: () => "/swipe/left",
    body: (n, value) => swipeBody(n).replace('"2"', value),
    stores: (n, swipee) => ({ ...swipe(n), swipee }),
  },
  {
    name: "dayID",
    path: () => "/skiers/liftrides",
    body: (n, value) => rideBody(n).replace('"dayID":"1"', `"dayID":${value}`),
    stores: (n, day) => ({ ...ride(n), day }),
  },
  { name: "skierID", path: () => "/skiers/liftrides", body: (n, value) => rideBody(n).replace(`"${n}"`, value) },
  {
    name: "time",
    path: () => "/skiers/liftrides",
    body: (n, value) => rideBody(n).replace('"408"', value),
    stores: (n, minute) => ({ ...ride(n), minute }),
  },
  {
    name: "liftID",
    path: () => "/skiers/liftrides",
    body: (n, value) => rideBody(n).replace('"27"', value),
    stores: (n, lift) => ({ ...ride(n), lift }),
  },
  {
    name: "time of a season",
    says: "time",
    path: (n) => `/skiers/silverMt/seasons/2026/days/1/skiers/${n}`,
    body: (_, value) => `{"time":${value},"liftID":27}`,
  },
  {
    name: "liftID of a season",
    says: "liftID",
    path: (n) => `/skiers/silverMt/seasons/2026/days/1/skiers/${n}`,
    body: (_, value) => `{"time":408,"liftID":${value}}`,
    stores: (n, lift) => ({ ...ride(n, "silverMt", 2026), lift }),
  },
];

const badNumbers: readonly (readonly [string, string])[] = [
  ["a negative number", "-1"],
  ["a fraction", "1.5"],
  ["1e400", "1e400"],
  ["-1e400", "-1e400"],
  ["2^53", "9007199254740992"],
  ["null", "null"],
  ["true", "true"],
  ["a list", "[1]"],
  ["an object", '{"$gt":0}'],
  ["an empty text", '""'],
  ["a text with a NUL", String.raw`"1\u0000"`],
  ["digits of another script", '"٣"'],
  ["SQL", `"1' OR '1'='1"`],
];
const badTexts: readonly (readonly [string, string])[] = [
  ["a text with a space", '" 1"'],
  ["a text with a sign", '"-1"'],
  ["a text with a plus", '"+1"'],
  ["a text in hexadecimal", '"0x10"'],
  ["a text with an exponent", '"1e1"'],
  ["a text beyond 2^53", '"9007199254740992"'],
  ["a text of 5,000 digits", `"${"9".repeat(5000)}"`],
  ["a text with a line end", String.raw`"1\n"`],
];

// Texts are tried where numbers are taken as texts too, on one field of each route.
const refusedValues = fields.flatMap((field) => {
  const { name, path, body, says = name } = field;
  const values = field.stores === undefined ? badNumbers : [...badNumbers, ...badTexts];
  return values.map(([value, text]): HostileCase => ({
    name: `${value} as ${name} is refused`,
    send: (n) => post(path(n), body(n, text)),
    expect: [refused(400, new RegExp(`^${escape(says)}: expected (a|an) (?!.*got null)`))].map((expected) =>
      value === "null" ? refused(400, new RegExp(`^${escape(says)}: expected .*got null`)) : expected,
    ),
  }));
});

const takenValues = fields.flatMap(({ name, path, body, stores }) =>
  stores === undefined
    ? []
    : [
        ["0", 0],
        ["-0", 0],
        ["1.0", 1],
        ["10e-1", 1],
        ['"0017"', 17],
      ].map(([text, value]): HostileCase => ({
        name: `${text} as ${name} is stored as ${value}`,
        send: (n) => post(path(n), body(n, String(text))),
        expect: [created],
        stores: (n) => [stores(n, Number(value))],
      })),
);

const swipeWith = (n: number, comment: string): Buffer =>
  post("/swipe/right", swipeBody(n).replace('"hello"', comment));

const refusedComments: readonly HostileCase[] = [
  ["257 characters", `"${"x".repeat(257)}"`],
  ["a number", "5"],
  ["null", "null"],
  ["a list", '["x"]'],
  ["half a surrogate pair", String.raw`"\ud83c"`],
  ["two halves in the wrong order", String.raw`"\udf00\ud83c"`],
  ["a NUL", String.raw`"a\u0000b"`],
].map(([what = "", comment = ""]) => ({
  name: `a comment of ${what} is refused`,
  send: (n: number) => swipeWith(n, comment),
  expect: [refused(400, /^comment: expected a text/)],
}));

const takenComments: readonly HostileCase[] = [
  "",
  "🎿".repeat(256),
  "'\"\\\n\r\t%_`;-- ü",
  "'); DROP TABLE swipes; --",
  "\u200e\u202e\ufeff",
  "e\u0301 is not \u00e9",
  "<script>alert(1)</script>",
  "${jndi:ldap://tally/x}",
  " both ends ",
  "\u{10ffff}",
].map((comment) => ({
  name: `the comment ${JSON.stringify(comment).slice(0, 40)} is stored as it is`,
  send: (n: number) => swipeWith(n, JSON.stringify(comment)),
  expect: [created],
  stores: (n: number) => [swipe(n, comment, true)],
}));

const rideAt = (n: number, resort: string): Buffer =>
  post("/skiers/liftrides", rideBody(n).replace('"silverMt"', resort));

const resorts: readonly HostileCase[] = [
  ...["", "x".repeat(65), " x", "x ", "a\nb", "a\0b", "\u200b", "\ud800", "x\u0007"].map((resort) => ({
    name: `the resort ${JSON.stringify(resort).slice(0, 30)} is refused`,
    send: (n: number) => rideAt(n, JSON.stringify(resort)),
    expect: [refused(400, /^resortID: expected a resort/)],
  })),
  ...["x".repeat(64), "🎿".repeat(32), "a b", "../../etc/passwd", "%00", "Zürich", "ZÜRICH", "a/b"].map((resort) => ({
    name: `the resort ${JSON.stringify(resort).slice(0, 30)} is stored as it is`,
    send: (n: number) => rideAt(n, JSON.stringify(resort)),
    expect: [created],
    stores: (n: number) => [ride(n, resort)],
  })),
  ...["1e400", "-1", "null", "{}", "1.5"].map((resort) => ({
    name: `the resort ${resort} is refused`,
    send: (n: number) => rideAt(n, resort),
    expect: [refused(400, /^resortID: expected a resort/)],
  })),
];

const bulk = (n: number, value: string): Buffer =>
  post("/purchases", `[${entry(n)},${entry(n).replace('"20261120"', value)}]`);

const dates: readonly HostileCase[] = [
  '"20260230"',
  '"2026-11-20"',
  '""',
  "20261301",
  "-20261120",
  "1e400",
  "20261120.5",
  "null",
  "[20261120]",
  '"٢٠٢٦١١٢٠"',
  String.raw`"20261120\u0000"`,
  '"00010101"',
].map((date) => ({
  name: `an entry with the date ${date} is refused, the one beside it is stored`,
  send: (n) => bulk(n, date),
  expect: [
    answered(207, /"accepted":1,"refused":1,.*"index":1,"status":400,"error":"date: expected a (calendar )?date/),
  ],
  stores: (n) => [sale(n)],
}));

/** Values of the fields of every JSON body. */
export const jsonValues: readonly HostileCase[] = [
  ...refusedValues,
  ...takenValues,
  ...refusedComments,
  ...takenComments,
  ...resorts,
  ...dates,
];
