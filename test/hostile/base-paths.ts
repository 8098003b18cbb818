import { formType } from "../http/form.ts";
import {
  asks,
  created,
  get,
  inTurn,
  keyed,
  noSuchPath,
  ok,
  post,
  refused,
  refusedMsg,
  stores,
  type ExpectedResponse,
  type HttpCase,
} from "../http/http-case.ts";
import {
  album,
  albumCreated,
  albumForm,
  ride,
  rideBody,
  sale,
  saleBody,
  saleOf4,
  salePath,
  sells,
  steps,
  stepsAccepted,
  swipe,
  swipeBody,
} from "../http/sample-requests.ts";
import type { StoredContent } from "../http/stored-content.ts";

/** What the system under test is started with. */
export const basePaths = "/shop_war,api/v1/,/steps";

const stepsOnly = refused(405, /^method: expected POST/);
const reads: readonly (readonly [path: string, expected: ExpectedResponse, name: string])[] = [
  ["/shop_war/items/store/5", ok(200, /^\{"stores":\[/), "a list below a base path is served"],
  ["/api/v1/current/999999999", ok(200, "0"), "a sum below a base path is served"],
  ["/shop_war/items/top5/1", ok(200, /^\{"stores":\[/), "the fixed words of a route are no user of steps"],
  ["/shop_war/steps/top?day=1", ok(200, /"users":/), "the fixed words of a ranking are no user of steps"],
  ["/shop_war/items/store/x", refused(400, /^storeID: expected an integer/), "a bad id below a base path is rejected"],
  ["/shop_war", noSuchPath, "a base path alone gets 404"],
  ["/api/items/store/5", noSuchPath, "half a base path gets 404"],
  ["/SHOP_WAR/items/store/5", noSuchPath, "a base path in other letters gets 404"],
  ["/current/3", noSuchPath, "a sum of steps at the root needs /steps"],
  ["/shop_war/shop_war/items/store/5", stepsOnly, "a base path twice is a path of steps, which has no GET"],
  ["/api/v1/shop_war/items/store/5", stepsOnly, "two base paths are a path of steps, which has no GET"],
  ["/shop_war/../items/store/5", stepsOnly, "a climb behind a base path is not resolved"],
  ["/shop_war/albums/5", refusedMsg(404, /^albumID/), "an unknown album below a base path gets msg"],
  ["//api/v1//review?x", refusedMsg(404, /^no such path/), "an unknown path of albums below a base path gets msg"],
];

const posts = (
  [
    ["a sale below a base path", (n) => post(`/shop_war${salePath(n)}`, saleBody), sale],
    ["a sale below a base path of two words", (n) => post(`//api//v1/${salePath(n)}//`, saleBody), sale],
    ["a sale below an escaped base path", (n) => post(`/%73hop_war${salePath(n)}`, saleBody), sale],
    ["a swipe below a base path", (n) => post("//shop_war/swipe/left/", swipeBody(n)), swipe],
    ["a ride below a base path", (n) => post("//api/v1/skiers/liftrides/", rideBody(n)), ride],
    ["an album below a base path", (n) => post("/shop_war/albums", albumForm(n), [formType]), album, albumCreated],
    ["steps without /steps below a base path", (n) => post(`/shop_war/${n}/3/14/250`, "", []), steps, stepsAccepted],
    ["steps with double slashes", (n) => post(`//shop_war//${n}/3//14/250/`, "", []), steps, stepsAccepted],
    ["steps with /steps below a base path", (n) => post(`/shop_war/steps/${n}/3/14/250`, "", []), steps, stepsAccepted],
    // A base path that is also the first word of routes at the root.
    ["steps below the base path /steps", (n) => post(`/steps/${n}/3/14/250`, "", []), steps, stepsAccepted],
    [
      "steps with /steps below the base path /steps",
      (n) => post(`/steps/steps/${n}/3/14/250`, "", []),
      steps,
      stepsAccepted,
    ],
  ] satisfies readonly (readonly [string, (n: number) => Buffer, (n: number) => StoredContent, ExpectedResponse?])[]
).map(([name, send, stored, expected = created]) => stores(`${name} are stored`, send, expected, stored));

/** Requests below base paths, and what only looks like one. */
export const belowBasePaths: readonly HttpCase[] = [
  ...reads.map(([path, expected, name]) => asks(name, () => get(path), expected)),
  ...posts,
  asks("steps at the root need /steps", (n) => post(`/${n}/3/14/250`, "", []), noSuchPath),
  asks(
    "steps of a user named steps are rejected",
    () => post("/shop_war/steps/1/8/1", "", []),
    refused(400, /^userID: .*got "steps"/),
  ),
  asks("another method below a base path gets 405 with Allow", () => get("/shop_war/swipe/left"), {
    ...refused(405, /./),
    headers: { allow: /\bPOST\b/ },
  }),
  sells(
    "a key counts for a store whichever base path it comes by",
    (n) => inTurn(...["", "/shop_war", "/api/v1"].map((base) => post(base + salePath(n), saleBody, keyed("b")))),
    3,
  ),
  stores(
    "a key that is used again with other content by another base path gets 422",
    (n) => inTurn(post(salePath(n), saleBody, keyed("b")), post(`/shop_war${salePath(n)}`, saleOf4, keyed("b"))),
    [created, refused(422, /Idempotency-Key/i)],
    sale,
  ),
];
