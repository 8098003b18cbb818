import { expect, inject, test } from "vitest";
import { dropTestDatabase, recreateTestDatabase } from "./run-statement.ts";

test.each(["tally", "tally_test_2", "test", ""])('the helpers do not drop "%s"', async (name) => {
  const url = new URL(inject("services").databaseWriteUrl);
  url.pathname = `/${name}`;
  await expect(recreateTestDatabase(url.href)).rejects.toMatchObject({ code: "DATABASE_NOT_FOR_TESTS" });
  await expect(dropTestDatabase(url.href)).rejects.toMatchObject({ code: "DATABASE_NOT_FOR_TESTS" });
});
