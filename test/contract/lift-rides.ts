import { created, inTurn, json, keyed, post, stores, type HttpCase } from "../http/http-case.ts";
import { upgrade } from "../http/raw-connection.ts";
import { ride } from "../http/sample-requests.ts";
import type { ContentOf } from "../http/stored-content.ts";

const rides = "/skiers/liftrides";
const printable = "Zürich: Üetliberg 🎿";
const bodyOf = (n: number, more: object = {}): string =>
  JSON.stringify({ resortID: `resort ${n}`, dayID: "1", skierID: "2", time: "408", liftID: "27", ...more });
const row = (n: number, more: Partial<ContentOf<"ride">> = {}) => ride(2, { resort: `resort ${n}`, ...more });
const path = (text: string, n: number): string => text.replaceAll(/\bR\b/g, `resort%20${n}`);
const total = (n: number, totalVert: number): object => ({ resortID: `resort ${n}`, totalVert });
const top = (...skiers: readonly (readonly [skierID: number, vertical: number])[]): object => ({
  topTenSkiers: skiers.map(([skierID, VertcialTotal]) => ({ skierID: String(skierID), VertcialTotal })),
});
const topOf = (n: number, day = "1"): string => path(`/resort/day/top10vert?resort=R&dayID=${day}`, n);

// Each is the same ride as the ones above.
const sames: readonly ((n: number) => Buffer)[] = [
  (n) => post(rides, bodyOf(n)),
  (n) => post(`${rides}/`, bodyOf(n)),
  (n) => post("//skiers//liftrides", bodyOf(n)),
  (n) => post(`/shop_war${rides}`, bodyOf(n)),
  (n) => post(rides, bodyOf(n), []),
  (n) => post(rides, bodyOf(n), [json, ...upgrade]),
  (n) => post(rides, bodyOf(n, { dayID: 1, skierID: 2, time: 408, liftID: 27 })),
  (n) => post(rides, bodyOf(n, { skierID: "002" })),
  (n) => post(path("/skiers/R/seasons/0/days/1/skiers/2", n), '{"time":408,"liftID":27}'),
  (n) => post(path("/shop_war/skiers/R/seasons/00/days/01/skiers/2/", n), '{"time":"408","liftID":"27"}', upgrade),
  (n) => post(rides, bodyOf(n), keyed(`a${n}`)),
  (n) => post(rides, bodyOf(n), keyed(`b${n}`)),
];

const seasons = [
  [0, 1, 30, 1, 5],
  [0, 1, 30, 2, 7],
  [0, 2, 30, 1, 11],
  [2019, 1, 30, 1, 13],
  [2019, 3, 30, 1, 17],
  [2019, 3, 31, 0, 39],
  [2019, 3, 31, 1440, 0],
] as const;

// Two of the most, then by lift.
const skiers = Array.from({ length: 12 }, (_, index) => [9 * (index + 1), index < 2 ? 50 : index + 1] as const);

/** POST /skiers and the verticals. */
export const liftRides: readonly HttpCase[] = [
  stores(
    "the same resort, season, day, skier, time and lift is one ride, in every form; another lift or minute is another",
    (n) =>
      inTurn(
        ...sames.map((send) => send(n)),
        post(rides, bodyOf(n, { liftID: 1 })),
        post(rides, bodyOf(n, { time: 409 })),
      ),
    [...sames.map(() => created), created, created],
    (n) => [...sames.map(() => row(n)), row(n, { lift: 1 }), row(n, { minute: 409 })],
    {
      reads: (n) => [
        [topOf(n), top([2, 550])],
        [path("/skiers/2/vertical?resort=R", n), total(n, 550)],
        [path("/skiers/R/days/1/skiers/2", n), total(n, 550)],
      ],
    },
  ),
  stores(
    "a resort may have any printable name",
    () => post(rides, bodyOf(0, { resortID: printable })),
    created,
    () => row(0, { resort: printable }),
    {
      reads: () => [
        [`/skiers/${encodeURIComponent(printable)}/days/1/skiers/2`, { resortID: printable, totalVert: 270 }],
        [`/resort/day/top10vert?resort=${encodeURIComponent(printable)}&dayID=1`, top([2, 270])],
      ],
    },
  ),
  stores(
    "verticals are sums of a day, of a season's day, of a season, of all days",
    (n) =>
      inTurn(
        ...seasons.map(([season, day, skier, time, liftID]) =>
          post(path(`/skiers/R/seasons/${season}/days/${day}/skiers/${skier}`, n), JSON.stringify({ time, liftID })),
        ),
      ),
    seasons.map(() => created),
    (n) => seasons.map(([season, day, skier, minute, lift]) => row(n, { season, day, skier, minute, lift })),
    {
      reads: (n) =>
        (
          [
            ["/skiers/R/days/1/skiers/30", total(n, 120)],
            ["/skiers/R/days/2/skiers/30", total(n, 110)],
            ["/skiers/R/seasons/2019/days/3/skiers/30", 170],
            ["/skiers/R/seasons/2019/days/3/skiers/31", 390],
            ["/skiers/30/vertical?resort=R", total(n, 530)],
            ["/skiers/30/vertical?resort=R&season=2019", total(n, 300)],
            ["/skiers/99/vertical?resort=R", total(n, 0)],
            ["/skiers/R/days/9/skiers/30", total(n, 0)],
            ["/skiers/R/seasons/2019/days/9/skiers/30", 0],
            ["/shop_war/skiers/R/days/2/skiers/30/", total(n, 110)],
            ["//shop_war//skiers/30//vertical/?resort=R", total(n, 530)],
            ["/shop_war/skiers/R/seasons/2019/days/3/skiers/30", 170],
            ["/resort/day/top10vert?resort=R&dayID=3&season=2019", top([31, 390], [30, 170])],
            ["/resort/day/top10vert?resort=R&dayID=9", top()],
            [`/skiers/Resort%20${n}/days/1/skiers/30`, { resortID: `Resort ${n}`, totalVert: 0 }],
          ] as const
        ).map(([text, expected]) => [path(text, n), expected]),
    },
  ),
  stores(
    "the top of a day has ten skiers, ties by the smaller id",
    (n) => inTurn(...skiers.map(([skierID, liftID]) => post(rides, bodyOf(n, { skierID, liftID })))),
    skiers.map(() => created),
    (n) => skiers.map(([skier, lift]) => row(n, { skier, lift })),
    {
      reads: (n) => {
        const best = skiers.toSorted(([a, liftA], [b, liftB]) => liftB - liftA || a - b).slice(0, 10);
        return [[topOf(n), top(...best.map(([skier, lift]) => [skier, 10 * lift] as const))]];
      },
    },
  ),
];
