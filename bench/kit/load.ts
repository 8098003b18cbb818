export { isGood, LoadClient, type LoadRequest, type Reply, type Responded } from "./load-client.ts";
export { idBytes, microseconds, Recorder, recordMs, type LoadResult, type Sample, type Second } from "./recorder.ts";
export { sendEvenly } from "./send-evenly.ts";
