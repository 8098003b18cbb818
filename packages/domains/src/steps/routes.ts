import { ingestRoute, type EventFiles } from "@tally/contract";
import { Type } from "typebox";
import { ids, numberFilter, wholeNumbers } from "../values.ts";
import { type StepsEvent, stepsMax, store } from "./event.ts";

/** Days count from 1; the column has four bytes. */
export const days = wholeNumbers(1, 4_294_967_295);
const hours = wholeNumbers(0, 23);
const stepCounts = wholeNumbers(0, stepsMax);

const steps = ingestRoute({
  path: "/steps/:userID/:day/:timeInterval/:stepCount",
  pathUnderBase: "/:userID/:day/:timeInterval/:stepCount",
  summary: "steps of one hour",
  description: "Several posts for an hour add up",
  params: Type.Object({ userID: ids.Text, day: days.Text, timeInterval: hours.Text, stepCount: stepCounts.Text }),
  // The path has all fields; clients send no body or any text.
  body: "ignored",
  scope: ({ userID }) => `steps/${Number(userID)}`,
  toEvent: (id, { userID, day, timeInterval, stepCount }): StepsEvent => ({
    id,
    userId: ids.parse("userID", userID),
    day: days.parse("day", day),
    hour: hours.parse("timeInterval", timeInterval),
    steps: stepCounts.parse("stepCount", stepCount),
  }),
  status: 200,
  text: "accepted",
  examples: {
    "an hour": {
      params: { userID: "42", day: "1", timeInterval: "8", stepCount: "4200" },
      idempotencyKey: "watch-42-000008",
    },
  },
});

export const routes = [steps];

export const files: EventFiles<StepsEvent> = {
  rows: store,
  fields: {
    userID: ({ userId }) => userId,
    day: ({ day }) => day,
    timeInterval: ({ hour }) => hour,
    stepCount: ({ steps: count }) => count,
  },
  order: "id",
  filters: { date: numberFilter("day = ?", "--date", days) },
};
