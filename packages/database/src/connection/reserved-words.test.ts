import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..", "..", "..", "..");

/*
 * The tests run on MariaDB where there is no MySQL. These words are reserved in MySQL 9.7 (information_schema.KEYWORDS)
 * and valid names in MariaDB 10.11 (each was tried as an alias).
 */
const reservedInMysqlOnly = new Set(
  `cube cume_dist database dense_rank empty external first_value function generated get grouping groups io_after_gtids
  io_before_gtids json_table lag last_value lateral lead library nth_value ntile of optimizer_costs option percent_rank
  qualify rank row schema stored system tablesample virtual`.split(/\s+/),
);

/** The aliases in the SQL of a text: keywords are upper case, aliases lower case. */
const aliasesIn = (text: string): readonly string[] =>
  [...text.matchAll(/\bAS ([a-z_]+)\b/g)].map(([, name = ""]) => name);

test("no alias in SQL is a reserved word of MySQL", () => {
  expect(aliasesIn("SELECT 1 AS one FROM (SELECT 2) AS stored")).toEqual(["one", "stored"]);
  const files = globSync("{apps/*/src,packages/*/src,infra/*/src,bench}/**/*.ts", {
    cwd: root,
    exclude: (name) => /node_modules|\.test\.ts$/.test(name),
  });
  const found = files.flatMap((file) =>
    aliasesIn(readFileSync(join(root, file), "utf8")).map((alias) => ({ file, alias })),
  );
  expect(found.length).toBeGreaterThan(40);
  expect(found.filter(({ alias }) => reservedInMysqlOnly.has(alias))).toEqual([]);
});
