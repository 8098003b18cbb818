import { createInterface } from "node:readline";
import { createPurchaseSender } from "@tally/client";
import { openJournal } from "@tally/client/journal";

// Each line of stdin is a sale: {"storeID":7,"custID":7001,"date":"20261120","items":[{"ItemID":8,"numberOfItems":2}]}

const sender = createPurchaseSender({
  baseUrl: process.env["TALLY_URL"] ?? "http://127.0.0.1:8080",
  apiKey: process.env["TALLY_API_KEY"],
  journal: await openJournal(process.argv[2] ?? "till.ndjson"),
  onRejected: ({ purchase, error }) => console.error("rejected:", error, purchase),
  onProblem: (problem) => console.error(problem?.message ?? "delivering again"),
});
for await (const sale of createInterface({ input: process.stdin })) {
  const { idempotencyKey } = await sender.add(JSON.parse(sale));
  console.log("kept", idempotencyKey);
}
const { waiting } = await sender.close();
console.log(waiting === 0 ? "all delivered" : `${waiting} sales wait in the journal for the next start`);
