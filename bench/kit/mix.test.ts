import { workloads } from "./workloads/workloads.ts";
import { Random } from "./random.ts";
import { newEventId } from "@tally/contract";
import { expect, test } from "vitest";
import { Mix } from "./mix.ts";

test("all domains get equal shares, and every request is a POST", () => {
  const mix = new Mix(workloads, new Random(1), "narrow");
  const postings = Array.from({ length: 5000 }, () => mix.next());
  for (const { domain } of workloads) {
    const own = postings.filter((posting) => posting.domain === domain);
    expect(own.length).toBeGreaterThan((0.8 * postings.length) / workloads.length);
  }
  expect(new Set(postings.map(({ request }) => request.method))).toEqual(new Set(["POST"]));
  expect(mix.nextOfEach().map(({ domain }) => domain)).toEqual(workloads.map(({ domain }) => domain));
});

test("a follow-up refers to an acknowledged event that is none itself, and several refer to the same event", () => {
  const own = workloads.filter(({ followUp }) => followUp !== undefined);
  expect(own.length).toBeGreaterThan(0);
  const mix = new Mix(own, new Random(1), "narrow");
  const acknowledged = new Set<string>();
  const paths: string[] = [];
  for (let n = 0; n < 3000; n++) {
    const posting = mix.next();
    const id = newEventId();
    mix.acknowledged(posting, id);
    if (posting.refersTo !== undefined) paths.push(posting.request.path);
    else acknowledged.add(id);
  }
  const about = paths.map((path) => /[0-9a-f-]{36}/.exec(path)?.[0] ?? "");
  expect(about.length).toBeGreaterThan(500);
  expect(about.filter((id) => !acknowledged.has(id))).toEqual([]);
  expect(new Set(about).size).toBeLessThan(about.length / 2);
});
