import { startBalancer, type Balancer } from "@tally/local";
import { atEnd, temporaryDirectory } from "./at-end.ts";

type Options = Pick<Parameters<typeof startBalancer>[0], "gateways" | "findBy" | "variables">;

/** Starts HAProxy in front of gateways. It stops at the end of the test or of the file. */
export async function balance(options: Options): Promise<Balancer> {
  const balancer = await startBalancer({
    ...options,
    directory: await temporaryDirectory(),
    environment: process.env,
    say: () => undefined,
    signal: new AbortController().signal,
  });
  atEnd(() => balancer.stop());
  return balancer;
}
