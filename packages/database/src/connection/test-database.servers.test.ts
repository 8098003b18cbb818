import { expect, inject, test } from "vitest";
import { dropTestDatabase, recreateTestDatabase } from "./own-database.test-kit.ts";

test.each(["tally", "tally_test_2", "test", ""])('the helpers do not drop "%s"', async (name) => {
  const url = new URL(inject("services").databaseWriteUrl);
  url.pathname = `/${name}`;
  await expect(recreateTestDatabase(url.href)).rejects.toThrow('does not end in "_test"');
  await expect(dropTestDatabase(url.href)).rejects.toThrow('does not end in "_test"');
});
