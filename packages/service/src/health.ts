export interface Check {
  readonly ok: boolean;
  /** For the operator who reads it; anything JSON can hold. */
  readonly detail?: unknown;
}

/** What was checked, by name. */
export type Health = Readonly<Record<string, Check>>;

export interface HealthReply {
  readonly status: 200 | 503;
  readonly body: { readonly status: "ok" | "failing"; readonly checks: Health };
}

/** The answer to a health request: 200 when every check is well, else 503. The same on every port. */
export function healthReply(checks: Health): HealthReply {
  return Object.values(checks).every((check) => check.ok)
    ? { status: 200, body: { status: "ok", checks } }
    : { status: 503, body: { status: "failing", checks } };
}
