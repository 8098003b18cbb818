import type { Apps } from "../start-apps.ts";
import type { Services } from "../services/services.ts";

const dataIn = { docker: "Docker's volumes", programs: ".tally/", environment: "the servers" } as const;

export function welcome(
  { url, operatorUrls, gateway, writer, ranker }: Apps,
  servicesSource: Services["source"],
): string {
  return `
tally is running (services: ${servicesSource})

  page     ${url}/
  API      ${url}
  metrics  ${operatorUrls.map((operatorUrl) => `${operatorUrl}/metrics`).join(", ")}, http://127.0.0.1:${writer.port}/metrics, http://127.0.0.1:${ranker.port}/metrics
  logs     ${[gateway, writer, ranker].map(({ logFile }) => logFile).join("\n           ")}

  Sell something, then ask for the best-selling items until they have it:

  ${firstSteps(url).join("\n  ")}

  pnpm demo plays a trading day of a chain of stores into it.

  Ctrl-C stops everything; the data stays in ${dataIn[servicesSource]}

ready`;
}

/** The first steps of README.md, run by a test. No workload sells in this store, so its 10 best have this item. */
export function firstSteps(url: string): readonly string[] {
  return [
    `curl -i -X POST ${url}/purchase/900/customer/900001/date/20261120 -H 'Content-Type: application/json' \\`,
    `  -d '{"items":[{"ItemID":"85571","numberOfItems":3}]}'`,
    `until curl -s ${url}/items/store/900 | grep 85571; do sleep 0.1; done`,
  ];
}
