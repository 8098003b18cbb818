import { entryReader } from "@tally/admin/entries";
import { reasonOf } from "@tally/runtime";
import type { Domain } from "@tally/contract";
import { WrongUsage } from "../wrong-usage.ts";
import { replayLines, type ReplayLine } from "./replay-lines.ts";
import type { ReplayFile, ReplayKeys } from "./replay-phase.ts";

const shownMax = 10;

/**
 * Reads a whole file before anything is sent, in constant memory: about 10 µs for each line. Throws a WrongUsage that names the first bad lines and
 * their fields.
 */
export async function scanReplay(file: string, domain: Domain, keys: ReplayKeys): Promise<ReplayFile> {
  const problemOf = checkOf(domain, keys);
  const problems: string[] = [];
  let bad = 0;
  const found = { lines: 0, timed: 0, firstMs: Infinity, lastMs: -Infinity, disordered: 0 };
  try {
    for await (const line of replayLines(file)) {
      const problem = "problem" in line ? line.problem : problemOf(line);
      if (problem !== undefined) {
        if (bad++ < shownMax) problems.push(`--replay: ${file}, line ${line.number}: ${problem}`);
        continue;
      }
      found.lines++;
      if ("problem" in line || line.atMs === undefined) continue;
      found.timed++;
      if (line.atMs < found.lastMs) found.disordered++;
      found.firstMs = Math.min(found.firstMs, line.atMs);
      found.lastMs = Math.max(found.lastMs, line.atMs);
    }
  } catch (error) {
    throw new WrongUsage(`--replay: ${file} cannot be read: ${reasonOf(error)}`, { cause: error });
  }
  if (bad > shownMax) problems.push(`--replay: ${file}: ${bad - shownMax} more lines are wrong`);
  if (problems.length > 0) throw new WrongUsage(problems.join("\n"));
  if (found.lines === 0) throw new WrongUsage(`--replay: ${file} has no events`);
  return found.timed === 0 ? { ...found, firstMs: 0, lastMs: 0 } : found;
}

function checkOf(domain: Domain, keys: ReplayKeys): (line: ReplayLine) => string | undefined {
  const read = entryReader(domain);
  return ({ fields, key }) => {
    const post = read(fields);
    if ("problem" in post) return post.problem;
    return key === undefined && keys === "same"
      ? "idempotencyKey: expected a key, as tally export writes it, or --replay-keys new or none"
      : undefined;
  };
}
