import { keyedRead, putRoute, queryRoute, type SqlReader } from "@tally/contract";
import { Type } from "typebox";
import { present } from "../register.ts";
import { closed, wholeNumbers } from "../values.ts";

/** What each rule finds, and its numbers by default. */
const byDefault = {
  silent: { isOn: true, minutes: 60, minimum: 5, above: 0 },
  dates: { isOn: true, minutes: 120, minimum: 0, above: 0 },
  returns: { isOn: true, minutes: 0, minimum: 20, above: 0.2 },
  surge: { isOn: true, minutes: 60, minimum: 50, above: 5 },
};
export type RuleName = keyof typeof byDefault;
export const ruleNames: readonly RuleName[] = ["silent", "dates", "returns", "surge"];

const numbers = wholeNumbers(0, 1_000_000);
const minutes = wholeNumbers(15, 1440);
const Rule = Type.Object({
  rule: Type.Enum(ruleNames),
  isOn: Type.Boolean(),
  minutes: Type.Integer(),
  minimum: Type.Integer(),
  above: Type.Number(),
});
export type AlertRules = Readonly<typeof byDefault>;

interface RuleRow extends Readonly<Record<"minutes" | "minimum" | "above", number | null>> {
  readonly rule: RuleName;
  readonly isOn: 0 | 1;
}

const selectRules = "SELECT rule, is_on AS isOn, minutes, minimum, above FROM alert_rules";
const upsertRules = `
  INSERT INTO alert_rules (rule, is_on, minutes, minimum, above) VALUES ? ON DUPLICATE KEY UPDATE
  is_on = VALUES(is_on), minutes = VALUES(minutes), minimum = VALUES(minimum), above = VALUES(above)`;

function rulesOf(rows: readonly RuleRow[]): AlertRules {
  const rules = { ...byDefault };
  for (const { rule, isOn, ...set } of rows) rules[rule] = { ...byDefault[rule], ...present(set), isOn: isOn === 1 };
  return rules;
}

export const readRules = async (rows: SqlReader): Promise<AlertRules> => rulesOf(await rows.query(selectRules));

const rulesRead = keyedRead<readonly [], RuleRow, AlertRules>({
  select: selectRules,
  values: () => [],
  ofRows: rulesOf,
});

const shown = (rules: AlertRules) => ruleNames.map((rule) => ({ rule, ...rules[rule] }));

export const alertRules = queryRoute({
  path: "/alert-rules",
  summary: "the rules of the alerts in `GET /chain/sales`",
  description:
    "`silent`: a store sold nothing for `minutes`, and at least `minimum` units in the same time a week ago, its last quarter of an hour not counted. `dates`: sales of a store in the last `minutes` are not of its business day. `returns`: of what a store sold today, more than the share `above`, and at least `minimum` units, was returned. `surge`: in the last `minutes`, one of today's 100 best items sold at least `minimum` units, and more than `above` times as many as in the same time a week ago",
  response: Type.Object({ rules: Type.Array(Rule) }),
  respond: async (_, { readNewest }) => ({ rules: shown(await readNewest(rulesRead, [])) }),
  examples: {},
});

export const putAlertRule = putRoute({
  path: "/alert-rules/:rule",
  summary: "changes a rule of the alerts, or turns it off",
  description:
    "What is left out is as by default. It applies within a minute, `returns` within a quarter of an hour. Needs the scope `operate`, and `OPERATOR_DATABASE_URL`",
  params: Type.Object({ rule: Type.Enum(ruleNames) }),
  body: closed({
    isOn: Type.Optional(Type.Boolean()),
    minutes: Type.Optional(minutes.Value),
    minimum: Type.Optional(numbers.Value),
    above: Type.Optional(Type.Number({ minimum: 0, maximum: 1000 })),
  }),
  response: Rule,
  scope: ({ rule }) => `alert-rules/${rule}`,
  storeOf: () => undefined,
  rowOf: ({ rule }, { isOn = true, minutes: span, minimum, above }): RuleRow => ({
    rule,
    isOn: isOn ? 1 : 0,
    minutes: span === undefined ? null : minutes.parse("minutes", span),
    minimum: minimum === undefined ? null : numbers.parse("minimum", minimum),
    above: above ?? null,
  }),
  async put(rows, transaction) {
    await transaction.upsert(
      upsertRules,
      rows.map(({ rule, isOn, ...set }) => [rule, isOn, set.minutes, set.minimum, set.above]),
    );
    return rows.map((row) => ({ rule: row.rule, ...rulesOf([row])[row.rule] }));
  },
  examples: {
    "silent after 90 minutes": {
      params: { rule: "silent" },
      body: { minutes: 90, minimum: 10 },
      response: { rule: "silent", isOn: true, minutes: 90, minimum: 10, above: 0 },
    },
  },
});
