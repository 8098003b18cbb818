/** Where an app can be killed: before and after each commit, confirm and acknowledgement of a batch. The name of a
 * point begins with its app. `channel`: of node:diagnostics_channel, on which the app publishes there. `turns`: 0 kills
 * within the publish. Responses, messages and acknowledgements have left the process 2 turns of the event loop later.
 */
export const crashPoints = {
  "gateway.before-publish": { channel: "tally:gateway:before-publish", turns: 0 },
  "gateway.before-confirm": { channel: "tally:messaging:sent", turns: 2 },
  "gateway.after-confirm": { channel: "tally:gateway:after-confirm", turns: 0 },
  "gateway.after-response": { channel: "tally:gateway:after-response", turns: 2 },
  "writer.before-commit": { channel: "tally:writer:before-commit", turns: 0 },
  "writer.after-commit": { channel: "tally:writer:after-commit", turns: 0 },
  "writer.before-confirm": { channel: "tally:messaging:sent", turns: 2 },
  "writer.before-acknowledgement": { channel: "tally:writer:before-acknowledgement", turns: 0 },
  "writer.after-acknowledgement": { channel: "tally:writer:after-acknowledgement", turns: 2 },
  "ranker.before-commit": { channel: "tally:ranker:before-commit", turns: 0 },
  "ranker.before-acknowledgement": { channel: "tally:ranker:before-acknowledgement", turns: 0 },
  "ranker.after-acknowledgement": { channel: "tally:ranker:after-acknowledgement", turns: 2 },
} as const;

export type CrashPoint = keyof typeof crashPoints;

// An object literal has no other keys than those of its type.
// oxlint-disable-next-line typescript/no-unsafe-type-assertion
export const crashPointNames = Object.keys(crashPoints) as readonly CrashPoint[];
