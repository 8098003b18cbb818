export { eventState } from "./event-state.ts";
export { Mix, type Posting } from "./mix.ts";
export { quantile } from "./quantile.ts";
export { mixSeed, Random } from "./random.ts";
export { serveThread, type ThreadCalls, type ThreadHandlers } from "./serve-thread.ts";
export { startThread, type Thread } from "./start-thread.ts";
