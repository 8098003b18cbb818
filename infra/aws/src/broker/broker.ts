import type { MathExpression } from "aws-cdk-lib/aws-cloudwatch";

/** What the other parts need of a broker, whichever kind it is. */
export interface Broker {
  /** The value of AMQP_URL. */
  url(user: string, password: string): string;
  /** Where accounts are created; absent: the nodes create them. */
  readonly managementUrl?: string;
  /** Nodes with RabbitMQ's own metrics on port 15692; none: Amazon publishes them. */
  readonly metricTargets: readonly string[];
  /** Free disk of the node that has least, as a multiple of the limit at which it blocks publishers. */
  readonly freeDisk: MathExpression;
}
