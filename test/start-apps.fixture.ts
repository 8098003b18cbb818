import { join } from "node:path";
import { startApps } from "@tally/local";

// A launcher that throws when its input ends.
const { DIRECTORY = "", ADDRESSES = "", PATH } = process.env;
await startApps({
  root: join(import.meta.dirname, ".."),
  directory: DIRECTORY,
  addresses: JSON.parse(ADDRESSES),
  port: 0,
  environment: { PATH, NAMESPACE: "launched" },
  say: (line) => void process.stdout.write(`${line}\n`),
});
process.stdout.write("serving\n");
process.stdin.resume().once("end", () => {
  throw new Error("the launcher dies");
});
