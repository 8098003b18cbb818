import type { CommandResult } from "../process/run-command.ts";
import { ServiceError } from "../process/service-error.ts";

/** A step of the first start failed: its last words. */
export function setupFailure(step: string, { output, errors }: CommandResult): ServiceError {
  const lines = `${output}\n${errors}`.trim().split("\n").slice(-15);
  return new ServiceError(
    "server-failed",
    `${step} failed. Its last words:\n${lines.map((line) => `    ${line}`).join("\n")}`,
  );
}
