export { eventState, isGood, LoadClient, type LoadRequest, type Reply, type Responded } from "./load-client.ts";
export { Mix, type Posting } from "./mix.ts";
export { mixSeed, Random } from "./random.ts";
export {
  idBytes,
  microseconds,
  quantile,
  Recorder,
  recordMs,
  type LoadResult,
  type Sample,
  type Second,
} from "./recorder.ts";
export { serveThread, startThread, type Thread } from "./thread.ts";
