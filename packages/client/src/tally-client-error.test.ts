import { expectDocumented } from "@tally/runtime/expect-documented";
import { test } from "vitest";
import { tallyClientErrors } from "./tally-client-error.ts";

test("README.md lists every error", () =>
  expectDocumented(new URL("../README.md", import.meta.url), tallyClientErrors));
