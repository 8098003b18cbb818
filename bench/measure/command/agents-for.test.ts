import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { agentsFor } from "./agents-for.ts";

const token = "a-token-of-a-test-0123456789";
const near = ["http://127.0.0.1:9100", "http://localhost:9101", "http://[::1]:9102"];
const far = "http://10.0.0.7:9100";

beforeEach(() => vi.stubEnv("TALLY_BENCH_TOKEN", token));
afterEach(() => vi.unstubAllEnvs());

test("agents of this machine need no target; others need one that they reach", () => {
  expect(agentsFor({})).toBeUndefined();
  expect(agentsFor({ agents: near })).toEqual({ urls: near, token });
  const target = "http://10.0.0.5:8080";
  expect(agentsFor({ agents: [...near, far], target })).toEqual({ urls: [...near, far], token });
  for (const flags of [{}, { target: "http://127.0.0.1:8080" }])
    expect(() => agentsFor({ agents: [...near, far], ...flags })).toThrow(`--agents: ${far} is on another machine`);
  expect(() => agentsFor({ agents: [near[0] ?? "", ...near] })).toThrow(`--agents: ${near[0]} is named twice`);
});

test("the token comes from the environment and has at least 16 characters", () => {
  for (const wrong of ["", "short", "two words that are long"]) {
    vi.stubEnv("TALLY_BENCH_TOKEN", wrong);
    expect(() => agentsFor({ agents: near })).toThrow("TALLY_BENCH_TOKEN: expected");
  }
});
