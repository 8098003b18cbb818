import { answered, created, get, json, post, refused, refusedMsg, type HostileCase } from "./hostile-case.ts";
import {
  album,
  albumForm,
  ride,
  rideBody,
  sale,
  saleBody,
  salePath,
  steps,
  swipe,
  swipeBody,
} from "./sample-requests.ts";
import { formType } from "../form.ts";

/** What the system under test is started with. */
export const basePaths = "/shop_war,api/v1/";

const list = answered(200, /^\{"stores":\[/);

/** Requests below base paths, and what only looks like one. */
export const belowBasePaths: readonly HostileCase[] = [
  {
    name: "a sale below a base path is stored",
    send: (n) => post(`/shop_war${salePath(n)}`, saleBody),
    expect: [created],
    stores: (n) => [sale(n)],
  },
  {
    name: "a sale below a base path of two words is stored",
    send: (n) => post(`//api//v1/${salePath(n)}//`, saleBody),
    expect: [created],
    stores: (n) => [sale(n)],
  },
  {
    name: "an escaped base path is the same",
    send: (n) => post(`/%73hop_war${salePath(n)}`, saleBody),
    expect: [created],
    stores: (n) => [sale(n)],
  },
  {
    name: "a swipe below a base path is stored",
    send: (n) => post("/shop_war/swipe/left/", swipeBody(n)),
    expect: [created],
    stores: (n) => [swipe(n)],
  },
  {
    name: "a ride below a base path is stored",
    send: (n) => post("/api/v1/skiers/liftrides", rideBody(n)),
    expect: [created],
    stores: (n) => [ride(n)],
  },
  {
    name: "an album below a base path is stored",
    send: (n) => post("/shop_war/albums", albumForm(n), [formType]),
    expect: [answered(200, /"imageSize":"67"/)],
    stores: (n) => [album(n)],
  },
  {
    name: "steps below a base path need no /steps",
    send: (n) => post(`/shop_war/${n}/3/14/250`, "", []),
    expect: [answered(200, "accepted")],
    stores: (n) => [steps(n)],
  },
  {
    name: "steps below a base path may have /steps",
    send: (n) => post(`/shop_war/steps/${n}/3/14/250`, "", []),
    expect: [answered(200, "accepted")],
    stores: (n) => [steps(n)],
  },
  {
    name: "steps at the root need /steps",
    send: (n) => post(`/${n}/3/14/250`, "", []),
    expect: [refused(404, /^no such path/)],
  },
  { name: "a list below a base path is answered", send: () => get("/shop_war/items/store/5"), expect: [list] },
  {
    name: "a sum below a base path is answered",
    send: () => get("/api/v1/current/999999999"),
    expect: [answered(200, "0")],
  },
  {
    name: "a bad id below a base path is refused",
    send: () => get("/shop_war/items/store/x"),
    expect: [refused(400, /^storeID: expected an integer/)],
  },
  {
    name: "a base path by itself leads nowhere",
    send: () => get("/shop_war"),
    expect: [refused(404, /^no such path/)],
  },
  {
    name: "half a base path leads nowhere",
    send: () => get("/api/items/store/5"),
    expect: [refused(404, /^no such path/)],
  },
  {
    name: "a base path in other letters leads nowhere",
    send: () => get("/SHOP_WAR/items/store/5"),
    expect: [refused(404, /^no such path/)],
  },
  {
    name: "a base path twice is a path of steps, which has no GET",
    send: () => get("/shop_war/shop_war/items/store/5"),
    expect: [refused(405, /^method: expected POST/)],
  },
  {
    name: "two base paths are a path of steps, which has no GET",
    send: () => get("/api/v1/shop_war/items/store/5"),
    expect: [refused(405, /^method: expected POST/)],
  },
  {
    name: "a climb behind a base path is not resolved",
    send: () => get("/shop_war/../items/store/5"),
    expect: [refused(405, /^method: expected POST/)],
  },
  {
    name: "no album below a base path is refused with msg",
    send: () => get("/shop_war/albums/5"),
    expect: [refusedMsg(404, /^albumID/)],
  },
  {
    name: "an unknown path of albums below a base path is refused with msg",
    send: () => get("//api/v1//review?x"),
    expect: [refusedMsg(404, /^no such path/)],
  },
  {
    name: "another method below a base path is answered 405 with Allow",
    send: () => get("/shop_war/swipe/left"),
    expect: [{ ...refused(405, /./), headers: { allow: /\bPOST\b/ } }],
  },
  {
    name: "a key counts for a store whichever base path it comes by",
    inTurn: true,
    send: (n) =>
      ["", "/shop_war", "/api/v1"].map((base) => post(base + salePath(n), saleBody, [json, "Idempotency-Key: b"])),
    expect: [created, created, created],
    stores: (n) => [sale(n), sale(n), sale(n)],
  },
  {
    name: "a key that is used again with other content by another base path is answered 422",
    inTurn: true,
    send: (n) => [
      post(salePath(n), saleBody, [json, "Idempotency-Key: b"]),
      post(`/shop_war${salePath(n)}`, saleBody.replace(":3", ":4"), [json, "Idempotency-Key: b"]),
    ],
    expect: [created, refused(422, /Idempotency-Key/i)],
    stores: (n) => [sale(n)],
  },
];
