import type { Operator } from "./operator.ts";
import type { Services, StartOptions } from "./services.ts";
import { startServices } from "./start-services.ts";

export interface PrivateServices extends Services {
  readonly operator: Operator;
}

interface PrivateOptions extends Pick<
  StartOptions,
  "directory" | "database" | "brokers" | "namespace" | "configuration" | "say"
> {
  readonly signal?: AbortSignal;
}

/**
 * Servers of our own, empty, whose data `stop()` deletes. Nothing of the user's environment reaches them: for what must never touch servers
 * that it has not started. Throws `ServiceError`; when `signal` is aborted they are stopped again, and it throws the signal's reason.
 */
export async function startPrivateServices({ signal, ...options }: PrivateOptions): Promise<PrivateServices> {
  const services = await startServices({
    ...options,
    keepData: false,
    docker: "never",
    environment: { PATH: process.env["PATH"] },
  });
  const { operator } = services;
  if (operator !== undefined && signal?.aborted !== true) return { ...services, operator };
  await services.stop();
  signal?.throwIfAborted();
  throw new TypeError("private servers have an operator");
}
