export { eventState, isGood, LoadClient, type LoadRequest, type Reply, type Responded } from "./load-client.ts";
export { Mix, type Posting } from "./mix.ts";
export { quantile } from "./quantile.ts";
export { mixSeed, Random } from "./random.ts";
export { serveThread, startThread, type Thread } from "./thread.ts";
