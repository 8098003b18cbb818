import { expectDocumented } from "@tally/runtime/expect-documented";
import { test } from "vitest";
import { databaseErrors } from "./database-error.ts";

test("README.md lists every error", () =>
  expectDocumented(new URL("../../README.md", import.meta.url), databaseErrors));
