/** An agent did not do its share of a load, so the run has no result. */
export class AgentFailed extends Error {
  readonly code = "AGENT_FAILED";

  constructor(url: string, reason: string, options?: ErrorOptions) {
    super(`the run has failed, and has no report: agent ${url}: ${reason}`, options);
  }
}
